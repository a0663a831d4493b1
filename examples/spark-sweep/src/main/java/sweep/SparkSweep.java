package sweep;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** Runs the parts of a {@code tilewright verify} on a Spark cluster, one task a part. */
public final class SparkSweep {
  private SparkSweep() {}

  /** Arguments: the launcher, the number of parts, the folder of results, then what {@code verify} is to run. */
  public static void main(String[] arguments) {
    if (arguments.length < 3 || !arguments[1].matches("[1-9]\\d{0,5}")) {
      System.err.println("usage: SparkSweep TILEWRIGHT PARTS RESULTS [ARGUMENTS OF verify ...]; PARTS is a number");
      System.exit(2);
    }
    var verify = List.of(arguments).subList(3, arguments.length);
    try (var spark = new JavaSparkContext(new SparkConf().setAppName("tilewright sweep"))) {
      run(spark, arguments[0], Integer.parseInt(arguments[1]), arguments[2], verify);
    }
  }

  /**
   * Runs all parts. A part whose results are there already ends at once, one that was interrupted goes on where it was,
   * so a task may be tried again, here by Spark or by the whole command.
   *
   * @param tilewright the launcher, as each worker finds it
   * @param results a folder that all workers see; each part writes a file of its own
   */
  static void run(JavaSparkContext spark, String tilewright, int parts, String results, List<String> verify) {
    // Killed tasks are to end their processes.
    spark.setLocalProperty("spark.job.interruptOnCancel", "true");
    var numbers = IntStream.rangeClosed(1, parts).boxed().toList();
    var command = new ArrayList<>(List.of(tilewright, "verify"));
    command.addAll(verify);
    command.addAll(List.of("--results", results, "--shard"));
    spark.parallelize(numbers, parts).foreach(part -> runPart(command, part + "/" + parts));
  }

  /** Runs one part to its end, whatever the verdicts are: {@code tilewright merge} tells them. */
  private static void runPart(List<String> command, String part) throws IOException, InterruptedException {
    var words = new ArrayList<>(command);
    words.add(part);
    var process = new ProcessBuilder(words).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
    try {
      int status = process.waitFor();
      if (status > 1) throw new IOException("part " + part + " ended with exit code " + status + ": " + words);
    } finally {
      process.destroy();
    }
  }
}
