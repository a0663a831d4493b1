package tilewright.cli.layout;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import tilewright.cli.io.CommandFailure;
import tilewright.cli.io.NearestName;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;

/**
 * What the lanes of a warp hold of a tile: operands of {@code mma.sync}, and the matrices of {@code ldmatrix} and
 * {@code stmatrix} (PTX ISA, Matrix Fragments for mma; Warp-level matrix load).
 *
 * @param layout (lane, value) to the column-major index in the tile
 */
record WarpFragment(String instruction, Layout layout, long rows, long columns) {
  private static final Pattern SHAPE = Pattern.compile("m16n8k([0-9]{1,3})");
  private static final List<ElementType> TYPES = List.of(ElementType.F16, ElementType.BF16, ElementType.TF32,
      ElementType.I8, ElementType.E4M3, ElementType.E5M2);
  private static final int M = 16;
  private static final int N = 8;
  private static final int REGISTER_BITS = 32;
  /** Rows of a matrix that {@code ldmatrix} loads, and its columns of 16 bits. */
  private static final int MATRIX = 8;

  /**
   * An operand of {@code mma.sync}.
   *
   * @param shape such as {@code m16n8k16}; empty for the largest K of the type
   * @param operand {@code a} (M×K), {@code b} (N×K) or {@code c} (M×N)
   */
  static WarpFragment mma(String type, String shape, String operand) {
    var element = TYPES.stream().filter(t -> t.text().equals(type)).findFirst().orElseThrow(() ->
        NearestName.unknown("mma.sync of --type", type, TYPES.stream().map(ElementType::text).toList()));
    // A tf32 number fills a register.
    int each = element == ElementType.TF32 ? 1 : REGISTER_BITS / element.bits();
    int k = depth(shape.isEmpty() ? "m16n8k" + 8 * each : shape, type, each);
    var name = "mma.sync.m16n8k" + k + " of " + type;
    return switch (operand) {
      case "a" -> new WarpFragment(name + ": A", values((long) M * each, new long[] {M, 8, 4L * each * M},
          new long[] {each, 2, k / (4L * each)}), M, k);
      case "b" -> new WarpFragment(name + ": B", values((long) N * each, new long[] {N, 4L * each * N},
          new long[] {each, k / (4L * each)}), N, k);
      case "c" -> new WarpFragment(name + ": accumulators", Layout.parse("((4,8),(2,2)):((32,1),(16,8))"), M, N);
      default -> throw NearestName.unknown("--operand", operand, List.of("a", "b", "c"));
    };
  }

  /** K is one or two steps of four lanes with a register each. */
  private static int depth(String shape, String type, int each) {
    var matcher = SHAPE.matcher(shape);
    int k = matcher.matches() ? Integer.parseInt(matcher.group(1)) : 0;
    if (k == 4 * each || k == 8 * each) return k;
    throw CommandFailure.badInput("no mma.sync of " + type + " has --shape " + shape + "; there are m16n8k" + 4 * each
        + ", m16n8k" + 8 * each);
  }

  /** Lanes (4,8), the first along k; the modes of values that have more than one element. */
  private static Layout values(long laneStride, long[] strides, long[] extents) {
    var modes = new ArrayList<Layout>();
    for (int i = 0; i < extents.length; i++) if (extents[i] > 1) modes.add(Layout.of(extents[i], strides[i]));
    var values = modes.size() == 1 ? modes.getFirst() : Layout.of(modes);
    return Layout.of(Layout.parse("(4,8):(" + laneStride + ",1)"), values);
  }

  /** The values of one, two or four 8×8 matrices, one below the other. */
  static WarpFragment matrices(String instruction, int count, boolean transposed) {
    if (count != 1 && count != 2 && count != 4) {
      throw CommandFailure.badInput("no " + instruction + " has --matrices " + count + "; there are 1, 2, 4");
    }
    long rows = (long) MATRIX * count;
    long[] lanes = transposed ? new long[] {2, rows} : new long[] {2 * rows, 1};
    var values = Layout.parse(count == 1 ? "2:" + (transposed ? 1 : rows)
        : "(2,%d):(%d,%d)".formatted(count, transposed ? 1 : rows, MATRIX));
    return new WarpFragment(instruction + ".sync.aligned.m8n8.x" + count + (transposed ? ".trans" : "") + ".b16",
        Layout.of(Layout.parse("(4,8):(" + lanes[0] + "," + lanes[1] + ")"), values), rows, MATRIX);
  }

  List<Long> tile() {
    return List.of(rows, columns);
  }
}
