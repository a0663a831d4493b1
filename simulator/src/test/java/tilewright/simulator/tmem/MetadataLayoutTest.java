package tilewright.simulator.tmem;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** Metadata against CuTe's sparse fragments of 128 rows: (row, element) to a bit of a lane, a lane is 1, a bit 128. */
class MetadataLayoutTest {
  private static void agrees(MmaKind kind, int elements, int bitsAnElement, Strided atom) {
    int perChunk = elements / MetadataLayout.chunks(kind);
    for (int row = 0; row < 128; row++) {
      for (int chunk = 0; chunk < MetadataLayout.chunks(kind); chunk++) {
        int place = atom.at(row + 128 * perChunk * chunk);
        int bit = place / 128 * bitsAnElement / 2;
        assertEquals(place % 128, MetadataLayout.rowOfLane(kind, row, chunk), kind + " lane of " + row + ", " + chunk);
        assertEquals(bit, Integer.SIZE * MetadataLayout.column(kind, chunk) + MetadataLayout.bit(kind, row, chunk),
            kind + " bit of " + row + ", " + chunk);
      }
    }
  }

  @Test
  void pairsOfTf32() {
    agrees(MmaKind.TF32, 16, 4, Strided.of(8, 2, 8, 8, 2, 1, 1024, 16, 128, 8));
  }

  @Test
  void foursOf16Bits() {
    agrees(MmaKind.F16, 32, 2, Strided.of(8, 2, 8, 16, 2, 1, 2048, 16, 128, 8));
  }

  @Test
  void foursOf8Bits() {
    for (var kind : new MmaKind[] {MmaKind.F8F6F4, MmaKind.I8, MmaKind.MXF8F6F4}) {
      agrees(kind, 64, 2, Strided.of(128, 64, 1, 128));
    }
  }

  @Test
  void eightsOf4Bits() {
    for (var kind : new MmaKind[] {MmaKind.MXF4, MmaKind.MXF4NVF4}) agrees(kind, 128, 1, Strided.of(128, 128, 1, 128));
  }
}
