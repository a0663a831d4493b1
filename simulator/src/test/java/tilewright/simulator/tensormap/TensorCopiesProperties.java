package tilewright.simulator.tensormap;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import tilewright.simulator.SimulatorOptions;

/** Kernels that copy by tensor maps, against the definition of each element, whatever the schedule. */
class TensorCopiesProperties {
  private static final byte BACKGROUND = (byte) 0xA5;
  private static final byte[] TENSORS = new byte[1 << 19];
  private static final TmaKernel LOADS = TmaKernel.loads("sm_100a");
  private static final TmaKernel STORES = TmaKernel.stores("sm_100a");

  static {
    new Random(4).nextBytes(TENSORS);
  }

  @Provide
  Arbitrary<List<TmaCase>> loads() {
    return TmaArbitraries.loads().filter(TensorCopiesProperties::fits).list().ofMinSize(1).ofMaxSize(6);
  }

  @Provide
  Arbitrary<TmaCase> stores() {
    return TmaArbitraries.stores().filter(TensorCopiesProperties::fits);
  }

  private static boolean fits(TmaCase c) {
    return c.shared() + new TmaDefinition(c).sharedBytes() <= TmaKernel.REGION;
  }

  @Property(tries = 60)
  void loadsPutEveryElementInItsPlaceAndCountAllBytes(@ForAll("loads") List<TmaCase> cases, @ForAll long seed,
      @ForAll boolean sanitize) {
    var out = new byte[TmaKernel.IMAGE * cases.size()];
    var options = SimulatorOptions.defaults().withSeed(seed).withSanitizer(sanitize);
    assertEquals(List.of(), LOADS.load(cases, TENSORS, out, options).findings());
    for (int i = 0; i < cases.size(); i++) {
      var defined = new BitSet();
      var expected = new TmaDefinition(cases.get(i)).loaded(TENSORS, BACKGROUND, TmaKernel.REGION, defined);
      int at = TmaKernel.IMAGE * i;
      for (int k = 0; k < expected.length; k++) {
        if (defined.get(k)) assertEquals(expected[k], out[at + k], "byte " + k + " of case " + i);
      }
      assertEquals(1, out[at + TmaKernel.REGION], "whether the mbarrier was told of all bytes, case " + i);
    }
  }

  @Property(tries = 60)
  void storesChangeTheElementsInsideTheTensorAndNoOthers(@ForAll("stores") TmaCase c, @ForAll long seed) {
    var shared = Arrays.copyOf(TENSORS, TmaKernel.REGION);
    var tensor = new byte[TENSORS.length];
    var options = SimulatorOptions.defaults().withSeed(seed);
    assertEquals(List.of(), STORES.store(List.of(c), shared, tensor, 0, options).findings());
    var expected = new byte[TENSORS.length];
    new TmaDefinition(c).stored(shared, expected);
    assertEquals(-1, Arrays.mismatch(expected, tensor), "first byte that differs");
  }
}
