package tilewright.cli;

import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.layout.BankWalk;

/** {@code tilewright layout banks}: shared-memory bank conflicts of a warp that walks along a mode. */
@Command(name = "banks", description = {
    "Count the bank conflicts of a warp that walks along each mode of a layout in shared memory.",
    "Example, a warp reading rows of 16 bytes as ldmatrix does: 'Sw<3,3,3>o0o(64,64):(64,1)' --bytes 2 --access 16."})
final class LayoutBanks implements Callable<Integer> {
  private static final Set<Integer> ACCESSES = Set.of(1, 2, 4, 8, 16);

  private final Console console;

  @Parameters(paramLabel = "EXPR", description = "A layout from coordinates to elements of shared memory.")
  private String expression;

  @Option(names = "--bytes", paramLabel = "N", defaultValue = "4", description = "Bytes of an element (default: 4).")
  private int elementBytes;

  @Option(names = "--access", paramLabel = "N",
      description = "Bytes a lane accesses at once: 1, 2, 4, 8 or 16 (default: an element).")
  private int accessBytes;

  LayoutBanks(Console console) {
    this.console = console;
  }

  record Row(String expr, int mode, int elementBytes, int accessBytes, int lanes, int wavefronts, int ideal,
      boolean conflictFree) {}

  @Override
  public Integer call() {
    var access = accessBytes == 0 ? elementBytes : accessBytes;
    if (elementBytes < 1 || !ACCESSES.contains(access)) {
      throw CommandFailure.badInput("invalid --bytes " + elementBytes + " --access " + access
          + ": elements have 1 byte or more, a lane accesses 1, 2, 4, 8 or 16");
    }
    var map = LayoutExpression.evaluateOrFail(expression);
    for (var mode = 0; mode < map.rank(); mode++) {
      var walk = BankWalk.along(map, mode, elementBytes, access);
      var row = new Row(expression, mode, elementBytes, access, walk.lanes(), walk.wavefronts(), walk.ideal(),
          walk.wavefronts() == walk.ideal());
      console.result(row, "along mode %d: %d lanes, %d bytes each: %d wavefronts, %s".formatted(mode, row.lanes, access,
          row.wavefronts, row.conflictFree ? "no conflicts" : row.ideal + " without conflicts"));
    }
    return Exit.OK;
  }
}
