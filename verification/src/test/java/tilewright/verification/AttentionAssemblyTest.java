package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
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

  /**
   * With 32 rows a warp and head dimension 96 or 128, all 255 registers are taken; what is spilled then is addresses
   * that the loop reads back once a tile.
   */
  @ParameterizedTest(name = "head dimension {0}: at most {1} bytes spilled")
  @CsvSource({"32, 0", "64, 0", "96, 32", "128, 64", "192, 0", "256, 0"})
  void fewOrNoRegistersAreSpilled(int dim, int mostBytes) {
    var problem = AttentionProblem.dense(ElementType.BF16, Sizes.of(1, 4096, 4096, 2048 / dim, dim)).with(Band.CAUSAL);
    switch (ASSEMBLER.assemble(new Sm80AttentionKernel().prepare(problem).kernel().ptx(), "sm_90")) {
      case Assembly.Assembled assembled -> {
        assertEquals(List.of(), assembled.warnings());
        for (var kernel : assembled.resources()) {
          assertTrue(kernel.spillStoreBytes() <= mostBytes, "spilled " + kernel.spillStoreBytes());
        }
      }
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }
}
