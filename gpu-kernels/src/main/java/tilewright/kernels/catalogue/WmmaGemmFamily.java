package tilewright.kernels.catalogue;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import tilewright.kernel.Target;
import tilewright.kernel.atom.WmmaAtom;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.ptx.Multiprocessor;
import tilewright.reference.MatrixReference;

/** The family of {@link WmmaGemm}. */
final class WmmaGemmFamily extends GemmFamily {
  private final long held;

  WmmaGemmFamily() {
    this(Multiprocessor.of(Target.SM80.capability()).ctaSharedBytes());
  }

  /** @param held bytes of shared memory that a CTA can have */
  private WmmaGemmFamily(long held) {
    super("wmma_gemm", "C (M,N) = A (M,K) · B (K,N) of f16, bf16 or f32 rounded to tf32, on tensor cores by wmma",
        List.of(Setting.types("dtype", ElementType.F16, ElementType.BF16, ElementType.TF32),
            Setting.types("acc", ElementType.F32, ElementType.F16), names("shape", WmmaAtom.Shape.values()),
            names("path", WmmaGemm.Path.values()), Setting.option("stages", "3", "1", "2", "4", "5")));
    this.held = held;
  }

  private static Setting names(String name, Object[] values) {
    return Setting.option(name, Arrays.stream(values).map(v -> v.toString().toLowerCase(Locale.ROOT))
        .toArray(String[]::new));
  }

  private static WmmaAtom.Shape shape(Choice choice) {
    return WmmaAtom.Shape.valueOf(upper(choice.text("shape")));
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }

  @Override
  List<Setting> tunings() {
    return List.of(new Setting("band", List.of("8", "1"), Setting.Kind.TUNING),
        new Setting("pad", List.of("yes", "no"), Setting.Kind.TUNING));
  }

  @Override
  public boolean supports(Choice choice) {
    return WmmaAtom.exists(shape(choice), choice.type("dtype"), choice.type("acc"));
  }

  /** Every type and shape; the other paths and numbers of stages, each by itself. */
  @Override
  public List<Choice> variants() {
    return super.variants().stream().filter(choice -> usual(choice, "path", "stages")
        || usual(choice, "dtype", "acc", "shape") && (usual(choice, "path") || usual(choice, "stages"))).toList();
  }

  private boolean usual(Choice choice, String... settings) {
    return Arrays.stream(settings).allMatch(name -> choice.text(name).equals(defaults().text(name)));
  }

  @Override
  public Family on(int capability) {
    return new WmmaGemmFamily(Multiprocessor.of(capability).ctaSharedBytes());
  }

  /** The kernel of the choice; its rows in shared memory are padded where a CTA can hold that. */
  @Override
  public Workload workload(Choice choice) {
    int m = choice.number("m");
    int n = choice.number("n");
    int k = choice.number("k");
    var type = choice.type("dtype");
    var atom = new WmmaAtom(shape(choice), type, choice.type("acc"));
    var path = WmmaGemm.Path.valueOf(upper(choice.text("path")));
    int widest = path.copyBytes / atom.stored().bytes();
    var padded = new WmmaGemm(atom, path, choice.number("stages"), choice.number("band"),
        choice.text("pad").equals("yes"), k % widest == 0 && n % widest == 0 ? widest : 1);
    var kernel = padded.sharedBytes() <= held ? padded : padded.withoutPadding();
    var reference = type == ElementType.TF32 ? MatrixReference.tf32(m, n, k)
        : MatrixReference.tensorCores(type, choice.type("acc"), MatrixReference.Order.ROWS, m, n, k);
    return product(kernel, Target.SM80, atom.stored(), kernel.tileM(), kernel.tileN(), reference, choice);
  }
}
