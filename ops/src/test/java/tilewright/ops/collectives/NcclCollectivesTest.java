package tilewright.ops.collectives;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tilewright.ops.Ops;

/** NCCL's functions as we call them, of a stand-in over the simulator's memory. */
class NcclCollectivesTest extends CollectiveContract {
  private static final int REMOTE_ERROR = 6;

  @TempDir
  static Path folder;

  private static Nccl nccl;

  NcclCollectivesTest() {
    super(3, HASTY);
  }

  @BeforeAll
  static void compile() throws IOException, InterruptedException {
    nccl = Nccl.load(Optional.of(NcclStandin.compile(folder)), new NcclSearch(Map.of(), folder));
  }

  @Override
  List<Communicator> open(int size, CollectiveOptions options) {
    return Communicator.byNccl(Ops.simulators(size), nccl, options);
  }

  @Test
  void ranksThatDisagreeDoNotReachNccl() {
    var ranks = open(2, PATIENT);
    int before = nccl.result("standinCalls");
    Ranks.outcomes(ranks, rank -> {
      var x = rank.ops().ints(new int[1 + rank.rank()], 1 + rank.rank());
      rank.broadcast(x, 0);
      return "done";
    });
    assertTrue(nccl.result("standinCalls") - before <= 1);
  }

  @Test
  void errorsBesideCallsAreThrown() {
    var rank = open(1, PATIENT).getFirst();
    nccl.result("standinFail", REMOTE_ERROR);
    try {
      assertMessage("remote process exited (of the stand-in)", assertThrows(CollectiveException.class, rank::await));
      var x = rank.ops().ints(new int[1], 1);
      assertMessage("remote process exited", assertThrows(CollectiveException.class, () -> rank.broadcast(x, 0)));
      rank.close();
    } finally {
      nccl.result("standinFail", Nccl.SUCCESS);
    }
  }

  /** Joins as processes do. */
  private static List<Object> join(List<Rendezvous> rendezvous, int size, CollectiveOptions options) {
    return Ranks.run(IntStream.range(0, rendezvous.size()).<Callable<Object>>mapToObj(i -> () -> {
      try (var rank = Communicator.join(Ops.simulator(), nccl, i, size, rendezvous.get(i), options)) {
        var x = rank.ops().ints(new int[] {i}, 1);
        rank.allReduce(x, x, Reduction.SUM);
        return x.ints()[0];
      } catch (RuntimeException e) {
        return e;
      }
    }).toList());
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  @Test
  void processesMeetAtAPort() throws IOException {
    var port = Rendezvous.tcp("localhost", freePort());
    assertEquals(List.of(3, 3, 3), join(List.of(port, port, port), 3, PATIENT));
  }

  @Test
  void processesMeetInAFile(@TempDir Path shared) {
    var file = shared.resolve("id");
    var meeting = Rendezvous.file(file);
    assertEquals(List.of(1, 1), join(List.of(meeting, meeting), 2, PATIENT));
    assertTrue(Files.notExists(file));
  }

  @Test
  void aProcessThatNeverComesFailsTheOthersInTime(@TempDir Path shared) throws IOException {
    var port = Rendezvous.tcp("localhost", freePort());
    for (var outcome : join(List.of(port, port), 3, HASTY)) assertMessage("timeout", outcome);
    var file = Rendezvous.file(shared.resolve("id"));
    for (var outcome : join(List.of(file, file), 3, HASTY)) assertMessage("timeout", outcome);
  }

  @Test
  void processesWithDifferentIdsFailInTime(@TempDir Path shared) {
    var stale = shared.resolve("stale");
    var other = new byte[Nccl.UNIQUE_ID_BYTES];
    other[1] = 1;
    new FileRendezvous(stale).exchange(0, 2, () -> other, HASTY);
    var outcomes = join(List.of(Rendezvous.file(shared.resolve("id")), Rendezvous.file(stale)), 2, HASTY);
    for (var outcome : outcomes) assertMessage("one unique id", outcome);
  }

  @Test
  void processesThatCountOtherwiseAreRefused(@TempDir Path shared) throws IOException {
    var file = shared.resolve("id");
    new FileRendezvous(file).exchange(0, 4, () -> new byte[Nccl.UNIQUE_ID_BYTES], HASTY);
    var late = assertThrows(CollectiveException.class,
        () -> new FileRendezvous(file).exchange(1, 2, () -> new byte[0], HASTY));
    assertMessage("rank 0 has 4 ranks", late);
    assertMessage("exists already", assertThrows(CollectiveException.class,
        () -> new FileRendezvous(file).exchange(0, 2, () -> new byte[Nccl.UNIQUE_ID_BYTES], HASTY)));
    var tcp = Rendezvous.tcp("localhost", freePort());
    var outcomes = Ranks.run(List.<Callable<Object>>of(
        () -> failure(tcp, 0, 2, HASTY.timeout(Duration.ofSeconds(2))), () -> failure(tcp, 1, 3, PATIENT)));
    assertMessage("timeout", outcomes.get(0));
    assertMessage("rank 0 has 2 ranks", outcomes.get(1));
  }

  private static Object failure(Rendezvous rendezvous, int rank, int size, CollectiveOptions options) {
    return assertThrows(CollectiveException.class,
        () -> rendezvous.exchange(rank, size, () -> new byte[Nccl.UNIQUE_ID_BYTES], options));
  }

  /** The outcomes of processes that check their calls. */
  private static List<Object> checked(Path file, int size, Consumer<Communicator> calls) {
    return Ranks.run(IntStream.range(0, size).<Callable<Object>>mapToObj(i -> () -> {
      try (var rank = Communicator.join(Ops.simulator(), nccl, i, size, Rendezvous.file(file), PATIENT.check())) {
        calls.accept(rank);
        return "done";
      } catch (RuntimeException e) {
        return e;
      }
    }).toList());
  }

  @Test
  void processesThatCheckAndDisagreeAllFailAndSayWhy(@TempDir Path shared) {
    for (var outcome : checked(shared.resolve("id"), 2, rank -> {
      var x = rank.ops().ints(new int[1 + rank.rank()], 1 + rank.rank());
      rank.allReduce(x, x, Reduction.SUM);
    })) {
      assertMessage("has all-reduce SUM of 1 elements of i32", outcome);
      assertMessage("has all-reduce SUM of 2 elements of i32", outcome);
    }
    for (var outcome : checked(shared.resolve("other"), 2, rank -> {
      var x = rank.ops().ints(new int[2], 2);
      if (rank.rank() == 0) rank.send(x, 1);
      else rank.receive(x.slice(0, 0, 1), 0);
    })) {
      assertMessage("has transfer from 0 to 1 of 2 elements of i32", outcome);
      assertMessage("has transfer from 0 to 1 of 1 elements of i32", outcome);
    }
  }

  @Test
  void processesThatCheckAndAgreeGoOn(@TempDir Path shared) {
    var outcomes = checked(shared.resolve("id"), 3, rank -> {
      int next = (rank.rank() + 1) % 3;
      int previous = (rank.rank() + 2) % 3;
      var mine = rank.ops().ints(new int[] {rank.rank(), 7}, 2);
      var theirs = rank.ops().ints(new int[3], 3);
      var all = rank.ops().ints(new int[] {rank.rank()}, 1);
      rank.group(() -> {
        rank.send(mine.slice(0, 0, 1), next);
        rank.send(mine, previous);
        rank.receive(theirs.slice(0, 1, 3), next);
        rank.receive(theirs.slice(0, 0, 1), previous);
        rank.broadcast(all, 0);
      });
      assertArrayEquals(new int[] {previous, next, 7}, theirs.ints());
      assertArrayEquals(new int[] {0}, all.ints());
    });
    assertEquals(List.of("done", "done", "done"), outcomes);
  }

  @Test
  void theVersionIsFound() {
    var library = folder.resolve("libnccl.so.2");
    assertEquals(new NcclProbe.Available(library.toString(), "2.28.9"),
        NcclProbe.of(Optional.of(library), new NcclSearch(Map.of(), folder)));
  }

  @Test
  void theLibraryIsFoundInAPythonEnvironment(@TempDir Path environment) throws IOException {
    var library = environment.resolve("lib/python3.12/site-packages/nvidia/nccl/lib/libnccl.so.2");
    Files.createDirectories(library.getParent());
    Files.createFile(library);
    var search = new NcclSearch(Map.of("VIRTUAL_ENV", environment.toString()), environment);
    assertTrue(search.files().contains(library));
  }

  @Test
  void aLibraryThatIsAbsentIsExplained(@TempDir Path empty) throws IOException {
    var search = new NcclSearch(Map.of(), empty);
    assertTrue(search.explanation().contains("pip install nvidia-nccl") && search.explanation().contains(
        empty.resolve(".local").toString()), search::explanation);
    var absent = Optional.of(empty.resolve("none.so"));
    assertTrue(NcclProbe.of(absent, search) instanceof NcclProbe.Missing(var reason) && reason.contains("no file"));
    assertMessage("no file", assertThrows(CollectiveException.class, () -> Nccl.load(absent, search)));
  }

  @Test
  void simulatorsAndProcessesDoNotMix() {
    assertRefused("Communicator.among", () -> Communicator.join(Ops.simulator(), 0, 1, Rendezvous.tcp("localhost", 1),
        PATIENT));
    assertRefused("no devices", () -> Communicator.among(List.of()));
  }
}
