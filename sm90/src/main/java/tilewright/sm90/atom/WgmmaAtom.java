package tilewright.sm90.atom;

import java.util.ArrayList;
import java.util.List;
import tilewright.async.atom.MatrixDescriptor;
import tilewright.async.atom.Warpgroup;
import tilewright.kernel.Partition;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.layout.Layout;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;

/**
 * {@code wgmma.mma_async.m64nNk}: D = A·B + D on a warpgroup, B in shared memory, A there or in registers (PTX ISA,
 * Asynchronous Warpgroup Level Matrix Multiply-Accumulate; SM90). Its sparse form, {@code wgmma.mma_async.sp}, has
 * twice the depth: of every {@link #chunk} of A's elements along k half are stored, and {@link #metadata} says which.
 *
 * @param a type of A: f16, bf16, tf32, e4m3, e5m2 or i8
 * @param b type of B: that of A; e4m3 and e5m2 mix
 * @param d type of D, the accumulators: f32, or f16 of operands of f16; of i8 always i32
 * @param columns N: 8 to 256 in steps of 8, of integers above 24 in steps of 16
 * @param sparse whether half of A is stored
 */
public record WgmmaAtom(ElementType a, ElementType b, ElementType d, int columns, boolean sparse) {
  public static final int M = 64;
  /** Columns from one pair of a thread's accumulators to the next. */
  public static final int LEAF = 8;
  private static final int DEPTH_BYTES = 32;
  private static final int MOST_COLUMNS = 256;
  private static final int REGISTER_BYTES = 4;
  private static final int MOST_ODD_COLUMNS = 24;
  /** Chunks of a row whose positions the metadata of a block of rows holds: a word for each thread of a warpgroup. */
  public static final int METADATA_CHUNKS = 16;
  private static final List<ElementType> NARROW = List.of(ElementType.E4M3, ElementType.E5M2);
  private static final List<ElementType> UNMIXED = List.of(ElementType.F16, ElementType.BF16, ElementType.TF32,
      ElementType.I8);

  public WgmmaAtom {
    if (columns < LEAF || columns > MOST_COLUMNS || columns % LEAF != 0) {
      throw new TraceException("no wgmma has " + columns + " columns: a multiple of 8 up to 256");
    }
    if (!hasColumns(a, columns)) {
      throw new TraceException("no wgmma of i8 has " + columns + " columns: a multiple of 16, or 8 or 24");
    }
    if (!(a == b && UNMIXED.contains(a)) && !(NARROW.contains(a) && NARROW.contains(b))) {
      throw new TraceException("no wgmma multiplies " + a.text() + " by " + b.text()
          + ": f16, bf16, tf32, i8 with themselves, e4m3 and e5m2 with either");
    }
    boolean accumulates = a == ElementType.I8 ? d == ElementType.I32
        : d == ElementType.F32 || d == ElementType.F16 && a == ElementType.F16;
    if (!accumulates) {
      throw new TraceException("no wgmma of " + a.text() + " accumulates in " + d.text()
          + ": floats in f32, f16 in f16 too, i8 in i32");
    }
  }

  /** An atom with a dense A. */
  public WgmmaAtom(ElementType a, ElementType b, ElementType d, int columns) {
    this(a, b, d, columns, false);
  }

  /** An atom with accumulators of 32 bits: integers of integers, else FP32. */
  public WgmmaAtom(ElementType a, ElementType b, int columns) {
    this(a, b, a == ElementType.I8 ? ElementType.I32 : ElementType.F32, columns);
  }

  /** Both operands of one type. */
  public WgmmaAtom(ElementType operand, int columns) {
    this(operand, operand, columns);
  }

  /** Whether there is one with that many columns, up to 256, for elements of A of a type. */
  public static boolean hasColumns(ElementType a, int columns) {
    boolean odd = columns % (2 * LEAF) != 0;
    return columns % LEAF == 0 && !(odd && a == ElementType.I8 && columns > MOST_ODD_COLUMNS);
  }

  /** The atom of the same types and columns whose A is sparse. */
  public WgmmaAtom ofSparseA() {
    return new WgmmaAtom(a, b, d, columns, true);
  }

  /** The type of the accumulators' registers, of which each holds two of f16. */
  public PtxType sums() {
    return d == ElementType.F32 ? PtxType.F32 : PtxType.B32;
  }

  /** K of one instruction. */
  public int depth() {
    return sparse ? 2 * storedDepth() : storedDepth();
  }

  /** Elements of a row of A that one instruction reads: those along k, or half of them. */
  public int storedDepth() {
    return DEPTH_BYTES / a.bytes();
  }

  /** Elements along k of which a sparse A stores half: one of two of tf32, two of four of other types. */
  public int chunk() {
    return a == ElementType.TF32 ? 2 : 4;
  }

  /** K of the elements whose positions a thread's word of metadata tells, with those of the other threads. */
  public int metadataDepth() {
    return METADATA_CHUNKS * chunk();
  }

  /**
   * (thread of the warpgroup, four bits of its word) → column-major index in 64 rows of {@link #METADATA_CHUNKS} chunks
   * (PTX ISA, Sparse matrix storage of wgmma; CuTe's {@code ELayout_64x32}, {@code ELayout_64x64} and {@code
   * ELayout_64x16}). Of 8-bit types all threads' words are those of one instruction. Of others two threads of four have
   * one instruction's words and two those of the next, which its {@link #selector} says.
   */
  public Layout metadata() {
    return Layout.parse(a.bits() == Byte.SIZE ? "((2,2,8,4),8):((8,512,1,16),64)"
        : "((2,2,8,4),(4,2)):((256,512,1,16),(64,8))");
  }

  /** The operand that says which threads' words belong to the instruction that begins at an element of A along k. */
  private int selector(int k) {
    return k % metadataDepth() / depth();
  }

  /** (thread of the warpgroup, value) → column-major index in the 64×N tile (PTX ISA, wgmma register fragments, D). */
  public Layout accumulator() {
    return accumulator(columns);
  }

  private static Layout accumulator(int columns) {
    return Layout.parse("((4,8,4),(2,2,%d)):((128,1,16),(64,8,512))".formatted(columns / LEAF));
  }

  /**
   * (thread of the warpgroup, value) → column-major index in the 64×k part of A that lies in four registers per thread,
   * the first values in the first (PTX ISA, wgmma register fragments, A).
   */
  public Layout operandA() {
    int packed = REGISTER_BYTES / a.bytes();
    return Layout.parse("((4,8,4),(%d,2,2)):((%d,1,16),(64,8,%d))".formatted(packed, packed * M, 4 * packed * M));
  }

  /** The elements of the 64×N tile that a thread of the warpgroup has. */
  public Partition partition() {
    return accumulators(columns);
  }

  /**
   * The elements that a thread of the warpgroup has of a 64×N tile whose columns are in another order.
   *
   * @param order column of the accumulators → column of the tile
   */
  public Partition partition(Layout order) {
    var place = Layout.of(Layout.of(M, 1), Layout.of(columns, M).composition(order));
    var held = accumulator();
    return Partition.exact(Layout.of(place.composition(held.mode(0)), place.composition(held.mode(1))), M, columns);
  }

  /** The elements of so many columns that a thread of the warpgroup has, be it of several tiles side by side. */
  public static Partition accumulators(int columns) {
    return Partition.exact(accumulator(columns), M, columns);
  }

  /** The elements of the 64×k part of A that a thread of the warpgroup has in registers. */
  public Partition partitionOfA() {
    return Partition.exact(operandA(), M, storedDepth());
  }

  /** Elements of D a thread. */
  public int values() {
    return M * columns / Warpgroup.SIZE;
  }

  /** Registers of D a thread. */
  public int registers() {
    return values() * d.bytes() / REGISTER_BYTES;
  }

  /** Orders earlier accesses to the registers of D before the multiplications that follow. */
  public static void fence(Scope k) {
    k.emit("wgmma.fence.sync.aligned");
  }

  /** Closes the group of multiplications since the last one. */
  public static void commit(Scope k) {
    k.emit("wgmma.commit_group.sync.aligned");
  }

  /** Waits until at most so many of the newest groups are under way. */
  public static void waitFor(Scope k, int pending) {
    k.emit("wgmma.wait_group.sync.aligned", new Operand.Integer(pending));
  }

  /** Multiplies what two descriptors point to into D. */
  public void multiply(Scope k, Operand.Register a, MatrixDescriptor formA, Operand.Register b, MatrixDescriptor formB,
      List<Operand.Register> d) {
    multiply(k, a, formA, b, formB, d, true);
  }

  /** Multiplies, and replaces D unless {@code more} says that it is to be added to. */
  public void multiply(Scope k, Operand.Register a, MatrixDescriptor formA, Operand.Register b, MatrixDescriptor formB,
      List<Operand.Register> d, boolean add) {
    multiply(k, a, b, d, add, List.of(formA, formB));
  }

  /** Multiplies four registers per thread, by {@link #operandA}, with what a descriptor points to into D. */
  public void multiply(Scope k, List<Operand.Register> a, Operand.Register b, MatrixDescriptor formB,
      List<Operand.Register> d, boolean add) {
    multiply(k, new Operand.Vector(List.copyOf(a)), b, d, add, List.of(formB));
  }

  /**
   * Multiplies the stored elements of a sparse A by those of B that they meet.
   *
   * @param metadata the thread's word of the block of k that the instruction is in
   * @param at the element of A along k at which the instruction begins
   */
  public void multiply(Scope k, Operand.Register a, MatrixDescriptor formA, Operand.Register b, MatrixDescriptor formB,
      List<Operand.Register> d, boolean add, Operand.Register metadata, int at) {
    multiply(k, a, b, d, add, List.of(formA, formB), List.of(metadata, new Operand.Integer(selector(at))));
  }

  private void multiply(Scope k, Operand left, Operand right, List<Operand.Register> sums, boolean add,
      List<MatrixDescriptor> forms) {
    multiply(k, left, right, sums, add, forms, List.of());
  }

  private void multiply(Scope k, Operand left, Operand right, List<Operand.Register> sums, boolean add,
      List<MatrixDescriptor> forms, List<Operand> metadata) {
    if (sparse == metadata.isEmpty()) {
      throw new TraceException("a " + (sparse ? "sparse A is multiplied with" : "dense A is multiplied without")
          + " metadata");
    }
    var operands = new ArrayList<>(List.of(new Operand.Vector(List.copyOf(sums)), left, right));
    if (sparse) k.needsPtx("8.2");
    operands.addAll(metadata);
    operands.add(new Operand.Integer(add ? 1 : 0));
    if (a != ElementType.I8) operands.addAll(List.of(new Operand.Integer(1), new Operand.Integer(1)));
    if (a.bits() == 16) forms.forEach(form -> operands.add(new Operand.Integer(form.kMajor() ? 0 : 1)));
    k.emit("wgmma.mma_async." + (sparse ? "sp." : "") + "sync.aligned.m64n" + columns + "k" + depth() + "." + name(d)
        + "." + name(a) + "." + name(b), operands.toArray(Operand[]::new));
  }

  private static String name(ElementType type) {
    return switch (type) {
      case I8 -> "s8";
      case I32 -> "s32";
      default -> type.text();
    };
  }
}
