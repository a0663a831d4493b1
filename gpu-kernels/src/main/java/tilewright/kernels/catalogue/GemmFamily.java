package tilewright.kernels.catalogue;

import java.util.List;
import tilewright.kernel.Kernel;
import tilewright.kernel.Target;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.Reference;

/** Families that multiply: C (M,N) = A (M,K) · B (K,N). */
abstract class GemmFamily extends OptionedFamily {
  GemmFamily(String name, String formula, List<Setting> options) {
    super(name, formula, options);
  }

  @Override
  List<Setting> common() {
    return List.of(Setting.extent("m", 1024), Setting.extent("n", 1024), Setting.extent("k", 1024));
  }

  @Override
  public List<List<Integer>> awkward() {
    return List.of(List.of(0, 3, 4), List.of(1, 1, 0), List.of(1, 1, 1), List.of(33, 17, 65), List.of(136, 144, 72));
  }

  @Override
  public List<List<Integer>> measured() {
    return List.of(List.of(4096, 4096, 4096), List.of(8192, 8192, 8192));
  }

  /** One CTA a tile of C. */
  static Workload product(Kernel kernel, Target target, ElementType type, int tileM, int tileN, Reference reference,
      Choice choice) {
    int m = choice.number("m");
    int n = choice.number("n");
    return Workload.of(kernel, target, (long) Math.ceilDiv(m, tileM) * Math.ceilDiv(n, tileN), reference,
        Operand.input("A", type, choice, "m", "k"), Operand.input("B", type, choice, "k", "n"),
        Operand.output("C", type, choice, "m", "n")).computing(2.0 * m * n * choice.number("k"));
  }
}
