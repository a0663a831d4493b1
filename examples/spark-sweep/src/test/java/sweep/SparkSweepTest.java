package sweep;

import static java.nio.file.StandardWatchEventKinds.ENTRY_CREATE;
import static java.nio.file.StandardWatchEventKinds.ENTRY_MODIFY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A sweep on Spark's local mode; the system property {@code sweep.seeds} makes it larger. */
class SparkSweepTest {
  private static final int PARTS = 16;
  private static final String TILEWRIGHT = System.getProperty("tilewright");
  private static final List<String> VERIFY = List.of("vector_add", "relu", "--on", "sim", "--size", "full", "--seeds",
      System.getProperty("sweep.seeds", "4"));

  @TempDir
  Path results;

  @Test
  void aSweepThatIsInterruptedAndResumedLosesNoRunAndHasNoneTwice() throws Exception {
    try (var spark = new JavaSparkContext(local())) {
      var sweep = CompletableFuture.runAsync(() -> sweep(spark));
      awaitFirstVerdicts(sweep);
      spark.sc().cancelAllJobs();
      assertThrows(ExecutionException.class, sweep::get);
    }
    int before = lines("\"status\"").size();
    assertEquals(1, merge(), "an interrupted sweep lacks runs");
    try (var spark = new JavaSparkContext(local())) {
      sweep(spark);
    }
    assertEquals(0, merge());
    var plans = lines("\"runs\"");
    assertEquals(PARTS, plans.size());
    var verdicts = lines("\"status\"");
    var runs = new HashSet<String>();
    for (var verdict : verdicts) runs.add(verdict.replaceAll(",\"status\".*", ""));
    assertEquals(verdicts.size(), runs.size(), "double");
    assertEquals(total(plans.get(0)), runs.size(), "missing");
    System.out.println(runs.size() + " runs in " + PARTS + " parts, " + before + " of them before the interruption");
  }

  private void sweep(JavaSparkContext spark) {
    SparkSweep.run(spark, TILEWRIGHT, PARTS, results.toString(), VERIFY);
  }

  private static SparkConf local() {
    return new SparkConf().setMaster("local[2,4]").setAppName("sweep").set("spark.ui.enabled", "false");
  }

  private void awaitFirstVerdicts(CompletableFuture<?> sweep) throws IOException, InterruptedException {
    try (var watch = results.getFileSystem().newWatchService()) {
      results.register(watch, ENTRY_CREATE, ENTRY_MODIFY);
      while (lines("\"status\"").isEmpty()) {
        assertFalse(sweep.isDone(), "the sweep ended without a verdict");
        var event = watch.poll(1, TimeUnit.SECONDS);
        if (event != null) event.reset();
      }
    }
  }

  /** Lines of the files of results that contain a text. */
  private List<String> lines(String text) throws IOException {
    var lines = new ArrayList<String>();
    try (var files = Files.newDirectoryStream(results, "*.jsonl")) {
      for (var file : files) Files.readAllLines(file).stream().filter(line -> line.contains(text)).forEach(lines::add);
    }
    return lines;
  }

  /** The number of runs of all parts, as a plan tells it. */
  private static int total(String plan) {
    return Integer.parseInt(plan.replaceAll(".*\"total\":(\\d+).*", "$1"));
  }

  private int merge() throws IOException, InterruptedException {
    var report = results.resolve("report.html").toString();
    var merge = new ProcessBuilder(TILEWRIGHT, "merge", results.toString(), "--report", report);
    return merge.inheritIO().start().waitFor();
  }
}
