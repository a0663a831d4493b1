package tilewright.cli.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.Console;
import tilewright.cli.io.Examples;
import tilewright.cli.io.Exit;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.bank.AccessPattern;
import tilewright.layout.bank.BankAnalysis;
import tilewright.layout.bank.BankConflict;
import tilewright.layout.bank.SectorCount;
import tilewright.layout.bank.SwizzleSearch;
import tilewright.layout.bank.VectorAccess;
import tilewright.layout.decision.Decision;
import tilewright.layout.f2.Swizzle;

/** {@code tilewright layout banks}: what memory makes of a warp's accesses. */
@Command(name = "banks", description = {
    "Count the bank conflicts of a warp that accesses a layout in shared memory, or its sectors of global memory.",
    "The warp walks along each mode, or accesses what ldmatrix or the threads of a thread-value layout do. "
        + "--find-swizzle looks for a swizzle without conflicts."})
@Examples({"layout banks 'Sw<3,3,3>o0o(64,64):(64,1)' --bytes 2 --access 16",
    "layout banks '(64,64):(64,1)' --bytes 2 --ldmatrix 4",
    "layout banks '(8,64):(64,1)' --bytes 2 --access 16 --ldmatrix 1 --find-swizzle",
    "layout banks '(64,64):(64,1)' --tv '(32,4):(64,4096)'"})
public final class LayoutBanks implements Callable<Integer> {
  private static final Set<Integer> ACCESSES = Set.of(1, 2, 4, 8, 16);

  private final Console console;

  @Parameters(paramLabel = "EXPR", description = "A layout from coordinates to elements of memory.")
  private String expression;

  @Option(names = "--bytes", paramLabel = "N", defaultValue = "4", description = "Bytes of an element (default: 4).")
  private int elementBytes;

  @Option(names = "--access", paramLabel = "N",
      description = "Bytes a lane accesses at once: 1, 2, 4, 8 or 16 (default: an element; with --tv, the most it can).")
  private int accessBytes;

  @Option(names = "--tv", paramLabel = "LAYOUT",
      description = "(thread, value) to the index in EXPR's shape: count the accesses of these threads.")
  private Optional<String> threadValue;

  @Option(names = "--ldmatrix", paramLabel = "N", description = "Count ldmatrix or stmatrix of 1, 2 or 4 matrices.")
  private Optional<Integer> matrices;

  @Option(names = "--global", description = "Count the sectors of global memory instead.")
  private boolean global;

  @Option(names = "--find-swizzle", description = {
      "Find the smallest swizzle that frees the accesses of conflicts: with --ldmatrix and --access, both",
      "the matrices and the walk along the mode of neighbours."})
  private boolean findSwizzle;

  public LayoutBanks(Console console) {
    this.console = console;
  }

  /** @param conflict lanes that want different words of one bank, if there are */
  record Row(String expr, String pattern, int elementBytes, int accessBytes, int lanes, int wavefronts, int ideal,
      int degree, boolean conflictFree, Optional<BankConflict> conflict) {}

  record VectorRow(String expr, String tv, int values, int bytes, String obstacle) {}

  record SectorRow(String expr, String pattern, int elementBytes, int accessBytes, int lanes, int sectors, int ideal,
      int lines) {}

  record SwizzleRow(String expr, String swizzle, String layout, String why) {}

  @Override
  public Integer call() {
    if (elementBytes < 1 || !ACCESSES.contains(accessBytes == 0 ? 16 : accessBytes)
        || accessBytes == 0 && threadValue.isEmpty() && matrices.isEmpty() && !ACCESSES.contains(elementBytes)) {
      throw CommandFailure.badInput("invalid --bytes " + elementBytes + " --access " + accessBytes
          + ": elements have 1 byte or more, a lane accesses 1, 2, 4, 8 or 16");
    }
    var memory = LayoutExpression.evaluateOrFail(expression);
    try {
      var patterns = patterns(memory);
      if (findSwizzle) return swizzle(memory, patterns);
      for (var pattern : patterns) {
        if (global) {
          sectors(memory, pattern);
        } else {
          banks(memory, pattern);
        }
      }
      return Exit.OK;
    } catch (IllegalArgumentException | ArithmeticException e) {
      throw CommandFailure.badInput(expression + ": " + e.getMessage());
    }
  }

  private List<AccessPattern> patterns(OffsetMap memory) {
    if (threadValue.isPresent()) {
      return threads(memory, plain(LayoutExpression.evaluateOrFail(threadValue.get()), "--tv"));
    }
    var patterns = new ArrayList<AccessPattern>();
    matrices.ifPresent(count -> patterns.add(AccessPattern.matrices(memory, count, elementBytes)));
    if (matrices.isEmpty() || accessBytes != 0) {
      var access = accessBytes == 0 ? elementBytes : accessBytes;
      for (var mode = 0; mode < memory.rank(); mode++) {
        patterns.add(AccessPattern.along(memory, mode, elementBytes, access));
      }
    }
    return patterns;
  }

  private List<AccessPattern> threads(OffsetMap memory, Layout layout) {
    var widest = VectorAccess.widest(layout, memory, elementBytes);
    var values = accessBytes == 0 ? widest.values() : Math.max(1, accessBytes / elementBytes);
    console.result(new VectorRow(expression, layout.toString(), widest.values(), widest.bytes(), widest.obstacle()),
        "widest access: %d values, %d bytes; no wider, since %s".formatted(widest.values(), widest.bytes(),
            widest.obstacle()));
    if (values > widest.values()) {
      throw new IllegalArgumentException("no thread accesses " + values + " values at once: " + widest.obstacle());
    }
    return AccessPattern.ofThreadValues(layout, values, elementBytes);
  }

  private void banks(OffsetMap memory, AccessPattern pattern) {
    var found = BankAnalysis.of(memory, elementBytes, pattern);
    var row = new Row(expression, pattern.name(), elementBytes, pattern.accessBytes(), found.lanes(),
        found.wavefronts(), found.ideal(), found.degree(), found.conflictFree(), found.conflict());
    var verdict = row.conflict.map(conflict -> row.ideal + " without conflicts; " + conflict).orElse("no conflicts");
    console.result(row, "%s: %d lanes, %d bytes each: %d wavefronts, %s".formatted(row.pattern, row.lanes,
        row.accessBytes, row.wavefronts, verdict));
  }

  private void sectors(OffsetMap memory, AccessPattern pattern) {
    var count = SectorCount.of(memory, elementBytes, pattern);
    var lanes = pattern.indices().size();
    console.result(new SectorRow(expression, pattern.name(), elementBytes, pattern.accessBytes(), lanes,
        count.sectors(), count.ideal(), count.lines()), "%s: %d lanes, %d bytes each: %d sectors, %d at least, %d lines"
            .formatted(pattern.name(), lanes, pattern.accessBytes(), count.sectors(), count.ideal(), count.lines()));
  }

  private int swizzle(OffsetMap memory, List<AccessPattern> patterns) {
    var layout = plain(memory, "--find-swizzle");
    return switch (SwizzleSearch.smallest(layout, elementBytes, patterns)) {
      case Decision.Defined<Swizzle>(var swizzle, var certificate) -> {
        var swizzled = new ComposedLayout(swizzle, 0, layout).toString();
        console.result(new SwizzleRow(expression, swizzle.toString(), swizzled, certificate.explain()),
            swizzled + ": " + certificate.explain());
        yield Exit.OK;
      }
      case Decision.Undefined<Swizzle> none -> throw CommandFailure.badInput(none.message());
    };
  }

  private static Layout plain(OffsetMap map, String option) {
    if (map instanceof Layout layout) return layout;
    throw CommandFailure.badInput(option + " takes a layout without a swizzle, got " + map);
  }
}
