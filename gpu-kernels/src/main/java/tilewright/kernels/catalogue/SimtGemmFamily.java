package tilewright.kernels.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tilewright.kernel.Target;
import tilewright.numerics.ElementType;
import tilewright.reference.Expected;
import tilewright.reference.Reference;

/** GEMM without tensor cores, of one element type. */
record SimtGemmFamily(String name, ElementType type) implements Family {

  static Family singles() {
    return new SimtGemmFamily("sgemm", ElementType.F32);
  }

  static Family halves() {
    return new SimtGemmFamily("hgemm", ElementType.F16);
  }

  @Override
  public String formula() {
    return "C (M,N) = A (M,K) · B (K,N) of " + type.text() + " without tensor cores, summed in f32";
  }

  @Override
  public List<Setting> settings() {
    return List.of(Setting.extent("m", 1024), Setting.extent("n", 1024), Setting.extent("k", 1024),
        Setting.option("path", Arrays.stream(SimtGemm.Config.values()).map(c -> c.name().toLowerCase(Locale.ROOT))
            .sorted().toArray(String[]::new)));
  }

  @Override
  public List<List<Integer>> awkward() {
    return List.of(List.of(0, 3, 4), List.of(1, 1, 0), List.of(1, 1, 1), List.of(33, 17, 65), List.of(136, 144, 72));
  }

  @Override
  public List<List<Integer>> measured() {
    return List.of(List.of(4096, 4096, 4096), List.of(8192, 8192, 8192));
  }

  @Override
  public Workload workload(Choice choice) {
    var config = SimtGemm.Config.valueOf(choice.text("path").toUpperCase(Locale.ROOT));
    int m = choice.number("m");
    int n = choice.number("n");
    int k = choice.number("k");
    int widest = 16 / type.bytes();
    boolean wide = config != SimtGemm.Config.SLICED && k % widest == 0 && n % widest == 0;
    var kernel = new SimtGemm(type, config, wide ? widest : 1);
    return Workload.of(kernel, Target.SM80, (long) Math.ceilDiv(m, config.m()) * Math.ceilDiv(n, config.n()),
        reference(m, n, k), Operand.input("A", type, choice, "m", "k"), Operand.input("B", type, choice, "k", "n"),
        Operand.output("C", type, choice, "m", "n")).computing(2.0 * m * n * k);
  }

  /** The kernel adds one product after the other, so its bits are those of the same loop here. */
  private Reference reference(int m, int n, int k) {
    return tensors -> {
      var a = tensors.get("A");
      var b = tensors.get("B");
      var exact = new double[m * n];
      var single = new double[m * n];
      for (int i = 0; i < m * n; i++) {
        float sum = 0;
        for (int j = 0; j < k; j++) {
          double x = a[i / n * k + j];
          double y = b[j * n + i % n];
          exact[i] += x * y;
          sum = Math.fma((float) x, (float) y, sum);
        }
        single[i] = type.round(sum);
      }
      return List.of(new Expected("C", exact, single, true));
    };
  }
}
