package tilewright.simulator.mma;

import java.util.List;
import java.util.regex.Pattern;
import tilewright.simulator.core.InstructionClass;
import tilewright.simulator.core.Site;
import tilewright.simulator.tensorcore.DotModel;
import tilewright.simulator.tensorcore.MmaType;

/**
 * How a warp's floating-point products are added up. Factors of eight bits only sm_89 multiplies itself; from sm_90 to
 * sm_110 ptxas makes halves of them, adds the products of the lower two of every four steps and then, on top, those of
 * the upper two, and at last adds C as an ordinary number (seen in what it emits and in results of an H200).
 */
public record MmaArithmetic(MmaType a, MmaType b, DotModel model, boolean emulated) {
  private static final Pattern WARP = Pattern.compile("(^|\\s)mma\\.(sync|sp)");
  private static final Pattern BYTES = Pattern.compile("\\.(e4m3|e5m2)");
  private static final int WMMA_STEPS = 4;
  private static final int ADA = 89;
  private static final int LAST_EMULATING = 119;

  static MmaArithmetic of(int architecture, MmaType a, MmaType b, boolean half) {
    boolean bytes = a == MmaType.E4M3 || a == MmaType.E5M2;
    boolean emulated = bytes && architecture > ADA && architecture <= LAST_EMULATING;
    return new MmaArithmetic(a, b, DotModel.warp(architecture, emulated ? MmaType.F16 : a, half), emulated);
  }

  /**
   * Checks that tensor cores of an architecture have what a kernel's warps multiply by.
   *
   * @throws IllegalArgumentException if they have not
   */
  public static void require(List<Site> sites, int architecture) {
    for (var site : sites) {
      if (site.kind() != InstructionClass.TENSOR || !WARP.matcher(site.text()).find()) continue;
      int least = site.text().contains(".kind::") ? LAST_EMULATING + 1 : BYTES.matcher(site.text()).find() ? ADA : 0;
      if (architecture >= least) continue;
      throw new IllegalArgumentException("tensor cores of sm_" + architecture + " have no '" + site.text() + "' (line "
          + site.line() + "): use sm_" + least + " or newer");
    }
  }

  /** The half, of two, that a step belongs to. */
  static int half(int step) {
    return step >> 1 & 1;
  }

  /** That of {@code wmma}: ptxas makes two {@code mma.m16n8k4} of eight steps of tf32, whatever the target. */
  MmaArithmetic ofWmma() {
    return a == MmaType.TF32 ? new MmaArithmetic(a, b, model.withBlock(WMMA_STEPS), emulated) : this;
  }

  MmaArithmetic ofHalves() {
    return new MmaArithmetic(MmaType.F16, MmaType.F16, model, false);
  }
}
