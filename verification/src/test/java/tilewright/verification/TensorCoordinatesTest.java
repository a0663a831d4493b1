package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import tilewright.kernels.Transpose;
import tilewright.layout.Layout;
import tilewright.layout.OffsetMap;
import tilewright.ops.TensorCoordinates;
import tilewright.simulator.Finding;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.mutation.Mutations;

/** Offsets in buffers and shared memory, by the coordinates of the layout that put them there. */
class TensorCoordinatesTest {
  @Test
  void anOffsetIsTheElementThatTheLayoutPutsThere() {
    var rows = new TensorCoordinates(16, OffsetMap.parse("(4,8):(8,1)"), 32);
    for (int r = 0; r < 4; r++) {
      for (int c = 0; c < 8; c++) {
        assertEquals(Optional.of("(" + r + "," + c + ")"), rows.of(32 + 2 * (8 * r + c)));
        assertEquals(Optional.of("(" + r + "," + c + ")"), rows.of(32 + 2 * (8 * r + c) + 1));
      }
    }
    assertEquals(Optional.empty(), rows.of(31));
    assertEquals(Optional.empty(), rows.of(32 + 64));
  }

  @Test
  void elementsSmallerThanAByteShareIt() {
    var nibbles = new TensorCoordinates(4, Layout.of(8, 1), 0);
    assertEquals(Optional.of("6"), nibbles.of(3));
  }

  @Test
  void aRaceInAKernelOfOursNamesTheElementsOfItsTile() {
    var prepared = Transpose.prepare(32, 32);
    var faulty = Mutations.withoutABarrier(prepared.kernel().module()).getFirst().module();
    var buffers = Map.of("X", MemorySegment.ofArray(new byte[4096]), "Y", MemorySegment.ofArray(new byte[4096]));
    var options = SimulatorOptions.defaults().withSanitizer(true).withCoordinates(TensorCoordinates.of(prepared));
    var findings = Simulator.load(faulty).run(prepared.on(buffers), options).findings();
    assertEquals(List.of(Finding.Kind.RACE), findings.stream().map(Finding::kind).toList());
    var race = findings.getFirst();
    assertTrue(
        race.fix().matches("put k\\.barrier\\(\\) between Transpose.java:\\d+ and Transpose.java:\\d+"), race.fix());
    var tile = prepared.kernel().sharedTensors().getFirst();
    long element = race.address() * 8 / tile.type().bits();
    var expected = LongStream.range(0, tile.layout().size())
        .filter(i -> tile.layout().apply(i) == element)
        .mapToObj(i -> Layout.columnMajor(tile.layout().shape()).coordinate(i)).toList();
    assertEquals(1, expected.size());
    assertTrue(race.message().contains("element " + expected.getFirst() + " of shared tensor 0"), race.message());
    assertTrue(race.source().endsWith(".java:" + race.source().replaceAll(".*:", "")), race.source());
  }

  @Test
  void theTensorsOfALaunchAreNamedByItsArguments() {
    var tensors = TensorCoordinates.of(Transpose.prepare(3, 5));
    var x = (TensorCoordinates) tensors.get("X");
    assertEquals(15, x.layout().size());
    assertEquals(Optional.of("(1,2)"), x.of(4 * (5 + 2)));
  }
}
