package tilewright.ops.collectives;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import tilewright.ops.Ops;

/** Captured transfers of a stand-in for NCCL over the simulator's memory. */
class NcclCaptureTest extends CaptureContract {
  @TempDir
  static Path folder;

  private static Nccl nccl;

  NcclCaptureTest() {
    super(3, CollectiveContract.HASTY);
  }

  @BeforeAll
  static void compile() throws IOException, InterruptedException {
    nccl = Nccl.load(Optional.of(NcclStandin.compile(folder)), new NcclSearch(Map.of(), folder));
  }

  @Override
  List<Communicator> open(int size, CollectiveOptions options) {
    return Communicator.byNccl(Ops.simulators(size), nccl, options);
  }
}
