package tilewright.verification;

import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import tilewright.kernels.Accumulation;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm90.HopperGemm;
import tilewright.sm90.MixedGemm;
import tilewright.sm90.ScaledGemm;
import tilewright.sm90.Sm90GemmConfig;
import tilewright.sm90.collective.ClusterShape;

/** The Hopper GEMM with one piece of its synchronisation wrong, in small tiles and a ring that wraps in each. */
class HopperMutationTest {
  private static final int K = 208;

  /** How the kernel's warpgroups and CTAs share the work; each launch is one cluster. */
  enum Form {
    /** Two consumers share each of two tiles, whose CTAs copy B's tiles for each other. */
    COOPERATIVE(256, 128, 64, 128, 2, new ClusterShape(2, 1, 1), false),
    /** Two consumers take turns at three tiles, and each CTA copies half of A's tiles for both. */
    PING_PONG(64, 384, 64, 64, 2, new ClusterShape(1, 2, 1), true),
    /** Each of two CTAs sums half of k of two tiles, and gets half of the columns. */
    SPLIT(64, 256, 128, 64, 1, new ClusterShape(1, 1, 2), false),
    /** Sums leave the tensor core after each of two stages. */
    PROMOTED(new GemmTypes(ElementType.E4M3, ElementType.E4M3, ElementType.BF16, Accumulation.EXACT), 256, 128),
    /** The same for a converted operand, which all threads read. */
    MIXED(new GemmTypes(ElementType.E4M3, ElementType.BF16, ElementType.BF16, Accumulation.SCALED), 256, 128);

    private final MutationTrial trial;

    Form(GemmTypes types, int m, int n) {
      this(types, m, n, 64, 128, 128, 2, new ClusterShape(2, 1, 1), false);
    }

    Form(int m, int n, int tileN, int tileM, int consumers, ClusterShape cluster, boolean pingPong) {
      this(GemmTypes.of(ElementType.BF16, ElementType.BF16), m, n, tileN, tileM, 64, consumers, cluster, pingPong);
    }

    Form(GemmTypes types, int m, int n, int tileN, int tileM, int tileK, int consumers, ClusterShape cluster,
        boolean pingPong) {
      var bytes = Map.of("A", types.a().bytes() * m * K, "B", types.b().bytes() * n * K, "C", 2 * m * n, "SA",
          Float.BYTES * m * ScaledGemm.blocks(K));
      var problem = GemmProblem.packed(types, m, n, K, 1, "TN");
      var config = new Sm90GemmConfig(types, true, true, tileM, tileN, tileK, consumers, 2, cluster, 8, 1, pingPong,
          false);
      var launch = types.isMixed() ? MixedGemm.packed(problem).prepare(config) : HopperGemm.prepare(problem, config);
      trial = MutationTrial.ofZeros(launch, bytes).on(Dim3.of(2));
    }
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void theKernelItselfIsCleanUnderEverySchedule(Form form) {
    form.trial.assertTheKernelItselfIsClean();
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void aMissingSignalIsNoticed(Form form) {
    form.trial.assertNoticed(Mutations::withoutASignal);
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void aMissingBarrierIsNoticed(Form form) {
    form.trial.assertNoticed(Mutations::withoutABarrier);
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void anEarlierWaitIsNoticed(Form form) {
    form.trial.assertNoticed(Mutations::withAnEarlierWait);
  }

  @ParameterizedTest
  @EnumSource(Form.class)
  void otherBytesAreNoticed(Form form) {
    form.trial.assertNoticed(Mutations::withOtherBytes);
  }
}
