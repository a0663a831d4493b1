package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tilewright.device.Assembler;
import tilewright.device.Assembly;
import tilewright.kernel.collective.attention.Band;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.Sm80AttentionKernel;
import tilewright.numerics.ElementType;

/** What the assembler says of SM80 attention in the tiles of every head dimension. */
class AttentionAssemblyTest {
  private static final Assembler ASSEMBLER = Assembler.find();

  @ParameterizedTest(name = "head dimension {0}")
  @ValueSource(ints = {32, 64, 96, 128, 192, 256})
  void noRegistersAreSpilledOnTheKernelsOwnTarget(int dim) {
    var sizes = Sizes.of(1, 4096, 4096, 2048 / dim, dim);
    for (var band : List.of(Band.ALL, Band.CAUSAL)) {
      var problem = AttentionProblem.dense(ElementType.BF16, sizes).with(band);
      var kernel = new Sm80AttentionKernel().prepare(problem).kernel();
      switch (ASSEMBLER.assemble(kernel.ptx(), "sm_80")) {
        case Assembly.Assembled assembled -> {
          assertEquals(List.of(), assembled.warnings());
          assertEquals(List.of(0), assembled.resources().stream().map(Assembly.Resources::spillStoreBytes).toList());
        }
        case Assembly.Rejected rejected -> fail(rejected.log());
        case Assembly.Unavailable missing -> abort(missing.reason());
      }
    }
  }
}
