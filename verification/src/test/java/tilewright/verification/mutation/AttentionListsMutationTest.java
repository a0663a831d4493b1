package tilewright.verification.mutation;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.kernel.PreparedLaunch;
import tilewright.kernels.attention.AttentionProblem.Packed;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.BlockMask;
import tilewright.kernels.attention.TileMask;
import tilewright.numerics.ElementType;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.cases.AttentionCases;
import tilewright.verification.cases.Buffers;
import tilewright.verification.mutation.Mutations;

/** The kernels that list blocks of keys and tiles of queries, without one of their barriers. */
class AttentionListsMutationTest {
  private static final int TILE = 32;

  static Stream<Arguments> forms() {
    var dense = AttentionProblem.dense(ElementType.BF16, new Sizes(1, 140, 150, 2, 1, 32, 32));
    return Stream.of(Arguments.argumentSet("one length", dense, new int[0], new int[0]),
        Arguments.argumentSet("packed sequences", dense.with(new Packed("cuQ", "cuK", 3, 100)),
            new int[] {100, 0, 40}, new int[] {90, 5, 55}));
  }

  @ParameterizedTest
  @MethodSource("forms")
  void aMissingBarrierIsNoticed(AttentionProblem dense, int[] queries, int[] keys) {
    var setup = CapturedForms.setup(CapturedForms.of(dense), queries, keys);
    var inputs = AttentionCases.buffers(setup, 1);
    var blocks = new BlockMask(setup.problem(), TILE, TILE);
    var lists = new HashMap<>(inputs);
    for (var name : BlockMask.BUFFERS) lists.put(name, Buffers.poisoned(ElementType.I32, blocks.elements()));
    assertNoticed(blocks.prepare(), lists, BlockMask.BUFFERS);
    var tiles = new TileMask(setup.problem(), TILE, TILE);
    var transposed = new HashMap<>(inputs);
    tiles.elements().forEach((name, count) -> transposed.put(name, Buffers.poisoned(ElementType.I32, count)));
    assertNoticed(tiles.prepare(), transposed, List.copyOf(tiles.elements().keySet()));
  }

  private static void assertNoticed(PreparedLaunch launch, Map<String, MemorySegment> buffers,
      List<String> outputs) {
    var copies = MutationTrial.onCopies(launch, buffers).withSeeds(6);
    var expected = copies.buffers().get();
    Simulator.load(copies.module()).run(launch.on(expected), SimulatorOptions.defaults());
    var trial = copies.withCheck(actual -> outputs.stream()
        .filter(name -> expected.get(name).mismatch(actual.get(name)) >= 0).findFirst().map(name -> name + " differs"));
    trial.assertTheKernelItselfIsClean();
    trial.assertNoticed(Mutations::withoutABarrier);
  }
}
