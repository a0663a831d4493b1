package tilewright.verification.budget;

import java.util.ArrayList;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tilewright.ptx.Instruction;
import tilewright.ptx.Operand;

/**
 * The shape of a tensor-core instruction and the types and places of its operands.
 *
 * @param operandBits of an element in shared memory
 * @param rate elements of k that take the time of one of 16 bits
 * @param placeA where A comes from
 */
record MmaShape(int m, int n, int k, int operandBits, double rate, Place placeA) {
  /** The memory that holds an operand. */
  enum Place { SHARED, REGISTERS, TENSOR_MEMORY }

  private static final Pattern SHAPE = Pattern.compile("m(\\d+)n(\\d+)k(\\d+)");
  private static final int DEPTH_BITS = 256;
  private static final int HALF = 16;
  /** The number of the operand of {@code tcgen05.mma} that is its descriptor. */
  private static final int DESCRIPTOR = 3;

  /** Reads the shape of an {@code mma.sync}, {@code wgmma.mma_async} or {@code tcgen05.mma}. */
  static MmaShape of(Instruction i) {
    return switch (i.opcode()) {
      case "mma" -> registers(i);
      case "wgmma" -> wgmma(i);
      default -> tcgen05(i);
    };
  }

  /** An {@code mma.sync} of 16-bit elements. */
  private static MmaShape registers(Instruction i) {
    var shape = matched(i);
    return new MmaShape(Integer.parseInt(shape.group(1)), Integer.parseInt(shape.group(2)),
        Integer.parseInt(shape.group(3)), HALF, 1, Place.REGISTERS);
  }

  private static Matcher matched(Instruction i) {
    var shape = SHAPE.matcher(i.name());
    if (!shape.find()) throw new IllegalArgumentException("no shape in " + i.name());
    return shape;
  }

  private static MmaShape wgmma(Instruction i) {
    var shape = matched(i);
    int k = Integer.parseInt(shape.group(3));
    int bits = DEPTH_BITS / k;
    return new MmaShape(Integer.parseInt(shape.group(1)), Integer.parseInt(shape.group(2)), k, bits,
        (double) HALF / bits, i.operands().get(1) instanceof Operand.Vector ? Place.REGISTERS : Place.SHARED);
  }

  /**
   * Replaces a descriptor in a register by the constant that was added to it last. Only the places of scales, in bits
   * of their own, are added to it while the kernel runs.
   *
   * @param last operands of the instructions that write registers
   */
  static Instruction withKnownDescriptor(Instruction i, Map<Operand, Operand> last) {
    if (!i.name().startsWith("tcgen05.mma") || !(i.operands().get(DESCRIPTOR) instanceof Operand.Register register)) {
      return i;
    }
    var operands = new ArrayList<>(i.operands());
    operands.set(DESCRIPTOR, last.getOrDefault(register, register));
    return new Instruction(i.guard(), i.opcode(), i.modifiers(), operands, i.line());
  }

  /** M and N are in the instruction descriptor (PTX ISA, tcgen05 instruction descriptor), N from bit 17, M from 24. */
  private static MmaShape tcgen05(Instruction i) {
    if (!(i.operands().get(DESCRIPTOR) instanceof Operand.Integer(long descriptor))) {
      throw new IllegalArgumentException("the descriptor of " + i.name() + " is not known while tracing");
    }
    int n = (int) (descriptor >>> 17 & 0x3F) * 8;
    int m = (int) (descriptor >>> 24 & 0x1F) * 16;
    var placeA = i.operands().get(1) instanceof Operand.Register ? Place.SHARED : Place.TENSOR_MEMORY;
    if (i.has("kind::f16")) return new MmaShape(m, n, 16, HALF, 1, placeA);
    if (i.has("kind::tf32")) return new MmaShape(m, n, 8, 32, 0.5, placeA);
    if (i.has("kind::mxf4") || i.has("kind::mxf4nvf4")) return new MmaShape(m, n, 64, 4, 4, placeA);
    return new MmaShape(m, n, 32, Byte.SIZE, 2, placeA);
  }

  /** Additions and multiplications, as many of 16 bits as take the same time. */
  double operations() {
    return 2.0 * m * n * k / rate;
  }

  /** The bytes of operands that are read from shared memory; a pair of CTAs holds half of them each. */
  double sharedBytes() {
    return ((placeA == Place.SHARED ? m : 0) + n) * (double) k * operandBits / Byte.SIZE;
  }

  /** The bytes of A that are read from Tensor Memory. */
  double tensorMemoryBytes() {
    return placeA == Place.TENSOR_MEMORY ? (double) m * k * operandBits / Byte.SIZE : 0;
  }
}
