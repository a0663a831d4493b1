package tilewright.kernel.collective.attention;

import java.util.Optional;
import tilewright.kernel.GlobalTensor;
import tilewright.kernel.I32;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernel.TraceException;
import tilewright.ptx.PtxType;

/** Finds out whether a function only adds to scores, so that gradients need no derivative: it traces it alone. */
final class SlopeCheck {
  private SlopeCheck() {}

  static boolean adds(ScoreMod mod) {
    try {
      return Scope.trial(Target.SM80, k -> {
        var score = k.result(k.newRegister(PtxType.F32));
        return mod.sloped(score, index(k), index(k), index(k), index(k)).slope().known().equals(Optional.of(1f));
      });
    } catch (TraceException noDerivative) {
      // The kernel that needs it says why.
      return false;
    }
  }

  private static I32 index(Scope k) {
    return k.result(k.newRegister(PtxType.B32), 0, GlobalTensor.MAX_EXTENT - 1L);
  }
}
