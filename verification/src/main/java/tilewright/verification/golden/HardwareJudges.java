package tilewright.verification.golden;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.LongStream;
import tilewright.kernel.atom.MmaAtom;
import tilewright.kernel.tiled.SwizzledTile;
import tilewright.layout.ComposedLayout;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.layout.f2.Swizzle;

/** Layouts of real instructions: they parse, evaluate as listed, and hand out every element equally often. */
final class HardwareJudges {
  private static final Pattern BYTE_SWIZZLED =
      Pattern.compile("(Sw<[^>]*>) o smem_ptr\\[(\\d+)b\\] o (.*)");

  private HardwareJudges() {}

  static Map<String, Judge> all() {
    return Map.of(
        "hw_mma", HardwareJudges::mma,
        "hw_copy", HardwareJudges::copy,
        "hw_sf", golden -> tiles(golden, layout(golden, "layout")),
        "hw_smem", HardwareJudges::sharedMemory,
        "hw_tmem", HardwareJudges::tensorMemory);
  }

  private static Layout layout(GoldenRecord golden, String field) {
    return Layout.parse(golden.text(field).orElseThrow());
  }

  /** Each operand's layout covers its tile, all elements equally often, by as many threads as ThrID has. */
  private static Judgement mma(GoldenRecord golden) {
    long[] mnk = Layout.parse(golden.text("Shape_MNK").orElseThrow()).flatShape();
    var tiles = Map.of("ALayout", mnk[0] * mnk[2], "BLayout", mnk[1] * mnk[2], "CLayout", mnk[0] * mnk[1]);
    for (var operand : List.of("ALayout", "BLayout", "CLayout")) {
      var layout = layout(golden, operand);
      var fault = fault(golden, operand).or(() -> covers(layout, tiles.get(operand)))
          .or(() -> differsFromOurs(golden, operand, layout));
      if (fault.isPresent()) return Judgement.mismatch(fault.get(), operand + " " + layout);
    }
    return Judgement.agreed(golden.text("name").orElseThrow());
  }

  /** Our atoms hold the same layouts. */
  private static Optional<String> differsFromOurs(GoldenRecord golden, String operand, Layout theirs) {
    if (!golden.text("name").orElseThrow().matches("SM80_16x8x16_F(16F16F16F16|32F16F16F32|32BF16BF16F32)_TN")) {
      return Optional.empty();
    }
    var ours = switch (operand) {
      case "ALayout" -> MmaAtom.A;
      case "BLayout" -> MmaAtom.B;
      default -> MmaAtom.C;
    };
    return ours.equals(theirs) ? Optional.empty() : Optional.of("our atom's " + ours);
  }

  /** Both sides move bits of the same logical rows, each equally often. */
  private static Judgement copy(GoldenRecord golden) {
    for (var side : List.of("SrcLayout", "DstLayout", "RefLayout")) {
      var fault = fault(golden, side);
      if (fault.isPresent()) return Judgement.mismatch(fault.get(), side + " " + layout(golden, side));
      if (Definitions.uniformImage(layout(golden, side)).isEmpty()) {
        return Judgement.mismatch("every bit equally often", side + " " + layout(golden, side));
      }
    }
    var values = golden.text("ValID").map(Layout::parse);
    if (values.isPresent() && !Definitions.isInjective(values.get())) {
      return Judgement.mismatch("an address for each bit", "ValID " + values.get());
    }
    return LoadMatrixJudge.fault(golden).map(f -> Judgement.mismatch(f, golden.text("DstLayout").orElseThrow()))
        .orElseGet(() -> Judgement.agreed(golden.text("name").orElseThrow()));
  }

  /** Finds where our layout differs from the record's own facts: threads, table, cosize, injectivity. */
  private static Optional<String> fault(GoldenRecord golden, String field) {
    var layout = layout(golden, field);
    if (layout.mode(0).size() != layout(golden, "ThrID").size()) return Optional.of("as many threads as ThrID");
    var table = golden.table(field + "_table");
    if (table.isPresent() && !Arrays.equals(table.get(), layout.offsets())) return Optional.of("the listed offsets");
    if (golden.has(field + "_cosize") && golden.json().get(field + "_cosize").asLong() != layout.cosize()) {
      return Optional.of("cosize " + golden.json().get(field + "_cosize"));
    }
    if (golden.has(field + "_injective") && golden.says(field + "_injective") != Definitions.isInjective(layout)) {
      return Optional.of("injective: " + golden.says(field + "_injective"));
    }
    return Optional.empty();
  }

  private static Optional<String> covers(Layout layout, long size) {
    boolean covered = Definitions.uniformImage(layout).filter(image -> isInterval(image, size)).isPresent();
    return covered ? Optional.empty() : Optional.of("each of " + size + " elements equally often");
  }

  private static boolean isInterval(long[] image, long size) {
    return Arrays.equals(image, LongStream.range(0, size).toArray());
  }

  private static Judgement tiles(GoldenRecord golden, Layout layout) {
    return Definitions.uniformImage(layout).filter(image -> isInterval(image, image.length)).isPresent()
        ? Judgement.agreed(layout) : Judgement.mismatch("every offset from 0 on equally often", layout);
  }

  /** The swizzle of bytes and that of elements are one function, a bijection of the atom. */
  private static Judgement sharedMemory(GoldenRecord golden) {
    var ours = OffsetMap.parse(golden.text("element_layout").orElseThrow());
    var matcher = BYTE_SWIZZLED.matcher(golden.text("layout").orElseThrow());
    if (!matcher.matches()) return Judgement.mismatch("a swizzle, an element width and a layout", matcher);
    var bytes = Swizzle.parse(matcher.group(1));
    int bits = Integer.parseInt(matcher.group(2));
    var plain = Layout.parse(matcher.group(3));
    var offsets = Definitions.table(ours.size(), ours::apply);
    for (int i = 0; i < offsets.length; i++) {
      long bit = plain.apply(i) * bits;
      long swizzled = bytes.apply(bit / 8) * 8 + bit % 8;
      if (offsets[i] * bits != swizzled) {
        return Judgement.mismatch("element " + i + " at bit " + swizzled, offsets[i] * bits);
      }
    }
    var table = golden.table("table");
    var ourTile = swizzledTile(golden.text("name").orElseThrow(), plain);
    if (ourTile.isPresent() && !Arrays.equals(Definitions.table(plain.size(), ourTile.get()::apply), offsets)) {
      return Judgement.mismatch("our tile's " + ourTile.get(), ours);
    }
    if (table.isPresent() && !Arrays.equals(table.get(), offsets)) {
      return Judgement.mismatch("the listed offsets", ours);
    }
    long[] sorted = offsets.clone();
    Arrays.sort(sorted);
    return isInterval(sorted, plain.size()) ? Judgement.agreed(ours) : Judgement.mismatch("a bijection", ours);
  }

  /** The tile of 16-bit elements that our kernels keep in shared memory, where it is as large as the atom. */
  private static Optional<ComposedLayout> swizzledTile(String name, Layout atom) {
    int rows = (int) atom.mode(0).size();
    int columns = (int) atom.mode(1).size();
    if (name.matches(".*Layout_K_SW\\d+_Atom<half_t>")) return Optional.of(SwizzledTile.alongColumns(rows, columns, 1));
    if (name.matches(".*Layout_MN_SW\\d+_Atom<half_t>")) return Optional.of(SwizzledTile.alongRows(rows, columns, 1));
    return Optional.empty();
  }

  /** No two elements of an accumulator share an address. */
  private static Judgement tensorMemory(GoldenRecord golden) {
    var layout = layout(golden, "layout");
    var head = golden.table("table_head").orElseGet(() -> new long[0]);
    if (!Arrays.equals(head, Arrays.copyOf(layout.offsets(), head.length))) {
      return Judgement.mismatch("the listed offsets", layout);
    }
    return Definitions.isInjective(layout) ? Judgement.agreed(layout) : Judgement.mismatch("an injection", layout);
  }
}
