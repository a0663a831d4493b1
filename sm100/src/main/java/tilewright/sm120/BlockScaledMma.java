package tilewright.sm120;

import java.util.List;
import tilewright.kernel.Scope;
import tilewright.kernel.TraceException;
import tilewright.kernel.atom.MmaAtom;
import tilewright.layout.Layout;
import tilewright.ptx.Operand;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/**
 * {@code mma.sync} with block scales (PTX ISA, Block Scaling for mma.sync; sm_120a): 16×8 numbers from 32 bytes of k,
 * 32 elements of 8 bits or 64 of 4 bits. Operands lie in registers as those of {@code m16n8k32} of bytes do.
 *
 * <p>A register of scales holds four neighbours along k of one row. The instruction takes rows from two lanes of every
 * four for A, from one for B; {@code thread-id} selects which, {@code byte-id} the first byte. So one register per lane
 * holds the scales of two atoms along m, or of four along n, for four scales along k: {@link #ROWS_A}, {@link #ROWS_B}.
 */
public record BlockScaledMma(UmmaTypes types) {
  /** Rows of an operand whose scales one register per lane holds. */
  public static final int ROWS = 32;
  /** Scales along k in a register. */
  public static final int SCALES = 4;
  /** Atoms along m whose scales a register holds. */
  public static final int ATOMS_M = ROWS / MmaAtom.M;
  /** Atoms along n whose scales a register holds. */
  public static final int ATOMS_N = ROWS / MmaAtom.N;
  /** Lane → row of A: lanes 4g and 4g + 1 have rows g and g + 8 of the first atom, the next two of the second. */
  public static final Layout ROWS_A = rows(MmaAtom.M, MmaAtom.M / 2);
  /** Lane → row of B: lane 4g + t has row g of atom t. */
  public static final Layout ROWS_B = rows(MmaAtom.N, MmaAtom.N);
  /** Bytes of k of an instruction. */
  static final int DEPTH_BYTES = 32;
  private static final int LANES_OF_ROW = 4;

  /** @throws TraceException if there is no such instruction */
  public BlockScaledMma {
    boolean multiplied = switch (types.kind()) {
      case MXF8F6F4 -> isByte(types.a()) && isByte(types.b());
      case MXF4, NVF4 -> true;
      default -> false;
    };
    if (!multiplied) {
      throw new TraceException("no kernel for SM120 multiplies " + types.a().text() + " by " + types.b().text()
          + " of kind " + types.kind() + ": e4m3 and e5m2 of MXF8F6F4, or e2m1 of MXF4 or NVF4");
    }
  }

  private static boolean isByte(MmaFormat format) {
    return format == MmaFormat.E4M3 || format == MmaFormat.E5M2;
  }

  /**
   * The rows of the lanes' scales: eight groups of four lanes have consecutive rows, as in the accumulators; within a
   * group lanes first go through the rows of an atom that are as far apart as the group's own, then through atoms.
   *
   * @param atom rows of an atom
   * @param apart rows between two of a group
   */
  private static Layout rows(int atom, int apart) {
    int ofAtom = atom / apart;
    return Layout.of(Layout.of(ofAtom, apart), Layout.of(LANES_OF_ROW / ofAtom, atom), Layout.of(atom / ofAtom, 1))
        .coalesce();
  }

  /** Scales of a row that an instruction takes. */
  public int scales() {
    return switch (types.kind()) {
      case MXF8F6F4 -> 1;
      case MXF4 -> 2;
      default -> 4;
    };
  }

  /** The word along k with the scales of a slice, counted from the tile's first. */
  int word(int slice) {
    return slice * scales() / SCALES;
  }

  /**
   * Multiplies four registers of A with two of B into D.
   *
   * @param i the atom's number along m; {@code j} along n
   * @param scaleA the register with the scales of the atom's rows of A; likewise {@code scaleB}
   */
  void multiply(Scope k, int slice, int i, int j, List<Operand.Register> a, Operand.Register scaleA,
      List<Operand.Register> b, Operand.Register scaleB, List<Operand.Register> d) {
    var sum = new Operand.Vector(List.copyOf(d));
    int first = slice * scales() % SCALES;
    k.emit("mma.sync.aligned." + shape() + ".row.col." + kind() + ".block_scale.scale_vec::" + scales() + "X.f32."
        + types.a().text() + "." + types.b().text() + ".f32." + scaleType(), sum,
        new Operand.Vector(List.copyOf(a)), new Operand.Vector(List.copyOf(b)), sum,
        new Operand.Vector(List.of(scaleA)), selectors(first, i % ATOMS_M), new Operand.Vector(List.of(scaleB)),
        selectors(first, j % ATOMS_N));
  }

  private static Operand.Vector selectors(int bytes, int thread) {
    return new Operand.Vector(List.of(new Operand.Integer(bytes), new Operand.Integer(thread)));
  }

  private String shape() {
    return types.kind().perContainer() > 1 ? "m16n8k64" : "m16n8k32";
  }

  private String kind() {
    return switch (types.kind()) {
      case MXF8F6F4 -> "kind::mxf8f6f4";
      case MXF4 -> "kind::mxf4";
      default -> "kind::mxf4nvf4";
    };
  }

  private String scaleType() {
    return types.kind() == MmaKind.NVF4 ? "ue4m3" : "ue8m0";
  }
}
