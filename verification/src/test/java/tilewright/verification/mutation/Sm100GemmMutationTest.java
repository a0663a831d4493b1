package tilewright.verification.mutation;

import static org.junit.jupiter.api.DynamicContainer.dynamicContainer;

import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.GemmProblem;
import tilewright.kernels.GemmTypes;
import tilewright.kernels.epilogue.EpilogueArguments;
import tilewright.numerics.ElementType;
import tilewright.ptx.Dim3;
import tilewright.sm100.NarrowGemm;
import tilewright.sm100.Sm100GemmConfig;
import tilewright.sm100.Sm100Gemms;
import tilewright.sm100.UmmaTypes;
import tilewright.sm100.atom.MmaFormat;
import tilewright.sm100.atom.MmaKind;

/** The Blackwell GEMM on pairs of SMs with a piece of its synchronisation wrong, and rings that wrap in each tile. */
class Sm100GemmMutationTest {
  private static final int SEEDS = 8;

  /** Where a pair's tiles come from, and what they are multiplied of. */
  enum Form {
    /** One pair computes four tiles, so that both accumulators are used again. */
    PERSISTENT(UmmaTypes.of(GemmTypes.of(ElementType.BF16, ElementType.BF16)), 256, 128, 136, 32, 2, false),
    /** Pairs compete for six tiles whose launch they cancel. */
    CANCELLING(UmmaTypes.of(GemmTypes.of(ElementType.BF16, ElementType.BF16)), 512, 96, 72, 32, 2, true),
    /** Scales come with each stage, and go on to Tensor Memory, where one accumulator is used three times. */
    SCALED(new UmmaTypes(MmaKind.NVF4, MmaFormat.E2M1, MmaFormat.E2M1, ElementType.BF16), 256, 384, 272, 128, 1, false),
    /** Instructions take 96 elements along k (SM103), from a whole stage and from one that ends early. */
    DEEP(SCALED.types, 256, 384, 800, 128, 1, false, true);

    private final UmmaTypes types;
    private final MutationTrial trial;

    Form(UmmaTypes types, int m, int n, int k, int tileN, int accumulators, boolean dynamic) {
      this(types, m, n, k, tileN, accumulators, dynamic, false);
    }

    Form(UmmaTypes types, int m, int n, int k, int tileN, int accumulators, boolean dynamic, boolean deep) {
      this.types = types;
      var config = new Sm100GemmConfig(types, true, true, tileN, 2, 2, 2, accumulators, dynamic, 8, deep);
      var launch = launch(config, m, n, k);
      var all = MutationTrial.ofZeros(launch, Map.of("A", 2 * m * k, "B", 2 * n * k, "C", 2 * m * n, "SA", m * k / 8,
          "SB", n * k / 8));
      trial = (dynamic ? all : all.on(Dim3.of(2))).withSeeds(SEEDS)
          .exceptFor(HarmlessMutants::isConvergence).exceptFor(HarmlessMutants.ofAnswers(launch));
    }

    private static PreparedLaunch launch(Sm100GemmConfig config, int m, int n, int k) {
      if (!config.types().kind().scaled()) {
        return Sm100Gemms.prepare(GemmProblem.packed(ElementType.BF16, ElementType.BF16, m, n, k, 1, "TN"), config);
      }
      var problem = NarrowGemm.problem(config.types(), m, n, k);
      return NarrowGemm.prepare(config, problem, k, EpilogueArguments.plain(problem));
    }
  }

  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    return Stream.of(Form.values()).map(form -> dynamicContainer(form.name(), form.trial.tests(Flaw.MISSING_SIGNAL,
        Flaw.MISSING_TENSOR_SIGNAL, Flaw.NARROWER_SIGNAL, Flaw.MISSING_BARRIER, Flaw.EARLIER_WAIT, Flaw.FROZEN_PHASE,
        Flaw.OTHER_ARRIVALS, Flaw.OTHER_BYTES)));
  }
}
