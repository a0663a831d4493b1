package tilewright.kernel.collective.attention;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import tilewright.kernel.CompiledKernel;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.ptx.PtxType;

/** Finds out whether a function only adds to scores, so that backward kernels need no derivative: it traces it alone. */
record SlopeCheck(ScoreMod mod, AtomicBoolean adds) implements Kernel {
  @Override
  public String name() {
    return "slope_check";
  }

  @Override
  public void trace(Scope k) {
    k.block(1);
    var score = k.result(k.newRegister(PtxType.F32));
    var slope = mod.sloped(score, index(k), index(k), index(k), index(k)).slope();
    adds.set(slope.known().equals(Optional.of(1f)));
  }

  private static I32 index(Scope k) {
    return k.result(k.newRegister(PtxType.B32), 0, GlobalTensor.MAX_EXTENT - 1L);
  }

  static boolean adds(ScoreMod mod) {
    var check = new SlopeCheck(mod, new AtomicBoolean());
    try {
      CompiledKernel.compile(check, Target.SM80);
    } catch (TraceException noDerivative) {
      // The kernel that needs it says why.
      return false;
    }
    return check.adds.get();
  }
}
