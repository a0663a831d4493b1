package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.device.Gpu;
import tilewright.device.driver.GpuProbe;
import tilewright.ops.Ops;

/** NCCL on two GPUs, of one process and of two. */
@Tag("gpu")
class GpuCollectivesTest extends CollectiveContract {
  private final List<Ops> devices = new ArrayList<>();
  private final List<Communicator> communicators = new ArrayList<>();

  GpuCollectivesTest() {
    super(2, CollectiveOptions.of().timeout(Duration.ofSeconds(10)));
  }

  private static void requireGpus() {
    assumeTrue(Gpu.probe() instanceof GpuProbe.Available(_, var all) && all.size() > 1, "fewer than two GPUs");
  }

  @Override
  List<Communicator> open(int size, CollectiveOptions options) {
    requireGpus();
    IntStream.range(0, size).mapToObj(Ops::gpu).forEach(devices::add);
    communicators.addAll(Communicator.among(devices, options));
    return communicators;
  }

  @AfterEach
  void close() {
    communicators.forEach(Communicator::close);
    devices.forEach(Ops::close);
  }

  private static int[] received(Communicator rank) {
    int peer = 1 - rank.rank();
    var mine = rank.ops().ints(new int[] {10 + rank.rank()}, 1);
    var theirs = rank.ops().ints(new int[1], 1);
    rank.group(() -> {
      rank.send(mine, peer);
      rank.receive(theirs, peer);
    });
    return theirs.ints();
  }

  @Test
  void tensorsAreSentByKernelsToo() {
    var results = RankThreads.run(open(2, PATIENT.copyEngines(false)), GpuCollectivesTest::received);
    assertArrayEquals(new int[] {11}, results.get(0));
    assertArrayEquals(new int[] {10}, results.get(1));
  }

  @Test
  void copiesGoBesideCollectives() {
    var results = RankThreads.run(open(2, PATIENT), rank -> {
      var sum = rank.ops().ints(new int[] {rank.rank() + 1}, 1);
      var theirs = rank.ops().ints(new int[1], 1);
      var work = rank.start(() -> {
        rank.allReduce(sum, sum, Reduction.SUM);
        if (rank.rank() == 0) rank.send(rank.ops().ints(new int[] {7}, 1), 1);
        else rank.receive(theirs, 0);
      });
      work.join();
      return new int[] {sum.ints()[0], theirs.ints()[0]};
    });
    assertArrayEquals(new int[] {3, 0}, results.get(0));
    assertArrayEquals(new int[] {3, 7}, results.get(1));
  }

  @Test
  void copiesThatNobodyReceivesFailInTime() {
    var outcomes = Ranks.outcomes(open(2, HASTY), rank -> {
      rank.send(rank.ops().ints(new int[1], 1), 1 - rank.rank());
      return "done";
    });
    for (var outcome : outcomes) assertMessage("to receive from rank", outcome);
  }

  /** The end of a rank's process. */
  private record Ended(int status, String output) {}

  private static Ended program(int rank, Path file, String what) throws IOException, InterruptedException {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var process = new ProcessBuilder(java, "--enable-native-access=ALL-UNNAMED", "-cp",
        System.getProperty("java.class.path"), RankProgram.class.getName(), Integer.toString(rank), file.toString(),
        what).redirectErrorStream(true).start();
    var output = new String(process.getInputStream().readAllBytes());
    return new Ended(process.waitFor(), output);
  }

  private static List<Ended> programs(Path folder, String first, String second) {
    requireGpus();
    var file = folder.resolve("id");
    return Ranks.run(List.<Callable<Ended>>of(() -> program(0, file, first), () -> program(1, file, second)));
  }

  @Test
  void processesAddTheirTensors(@TempDir Path folder) {
    for (var ended : programs(folder, "add", "add")) {
      assertEquals(0, ended.status, ended::output);
      assertTrue(ended.output.contains("sum 3.0"), ended::output);
    }
  }

  @Test
  void processesThatDisagreeBothFailAndSayWhy(@TempDir Path folder) {
    for (var ended : programs(folder, "add", "other")) {
      assertNotEquals(0, ended.status, ended::output);
      assertTrue(ended.output.contains("has broadcast from rank 0 of 1 elements of f32"), ended::output);
    }
  }

  @Test
  void aProcessThatDiesFailsTheOtherInTime(@TempDir Path folder) {
    var first = programs(folder, "add", "die").getFirst();
    assertNotEquals(0, first.status, first::output);
    assertTrue(first.output.contains("CollectiveException"), first::output);
  }
}
