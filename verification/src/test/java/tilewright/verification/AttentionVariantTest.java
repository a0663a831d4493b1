package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.abort;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tilewright.device.assembly.Assembler;
import tilewright.device.assembly.Assembly;
import tilewright.kernels.catalogue.Families;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.verification.backend.SimulatorBackend;
import tilewright.verification.cases.FamilyCases;

/** The other ways to attend, whatever is swizzled. */
public class AttentionVariantTest {
  public static final List<String> WAYS = List.of("attention_split_kv", "attention_split_q", "attention_shared_kv",
      "attention_shared_qkv", "attention_tiled_qk", "attention_tiled_qkv", "attention_tiled_kv");

  /** Two blocks of keys, the last of them cut; chunks where they are in use. */
  public static Choice choice(Family family, Map<String, String> options) {
    int dim = family.name().equals("attention_tiled_kv") ? 128 : family.name().contains("tiled") ? 96 : 32;
    return family.sized(family.defaults().with(options), List.of(1, 70, 1, dim));
  }

  public static Family family(String name) {
    return Families.named(name).orElseThrow();
  }

  @TestFactory
  Stream<DynamicTest> everySwizzleGivesTheSameResults() {
    return WAYS.stream().flatMap(name -> Stream.of("none", "q", "qk").map(swizzle -> {
      var choice = choice(family(name), Map.of("swizzle", swizzle, "dtype", "bf16"));
      return DynamicTest.dynamicTest(name + " " + swizzle, () -> {
        var row = Verification.verify(FamilyCases.one(family(name), choice, 20), new SimulatorBackend(3));
        assertEquals(Row.Status.PASS, row.status(), row.reason());
      });
    }));
  }

  @TestFactory
  Stream<DynamicTest> aRingOfAnyLengthGivesTheSameResults() {
    var ring = family("attention_tiled_kv");
    return Stream.of("2", "3", "4").map(slots -> DynamicTest.dynamicTest(slots + " slots", () -> {
      var choice = ring.sized(ring.defaults().with(Map.of("slots", slots)), List.of(1, 130, 1, 192));
      var row = Verification.verify(FamilyCases.one(ring, choice, 20), new SimulatorBackend(3));
      assertEquals(Row.Status.PASS, row.status(), row.reason());
    }));
  }

  /** The narrow chunks of 480, which a GeForce's shared memory holds, have the most addresses. */
  @Test
  void narrowChunksSpillNoRegistersOnSm120() {
    var way = family("attention_tiled_qk");
    var ptx = way.prepare(way.defaults().with(Map.of("d", "480"))).kernel().ptx();
    switch (Assembler.find().assemble(ptx, "sm_120")) {
      case Assembly.Assembled assembled -> assertEquals(0, assembled.resources().getFirst().spillStoreBytes());
      case Assembly.Rejected rejected -> fail(rejected.log());
      case Assembly.Unavailable missing -> abort(missing.reason());
    }
  }

  @Test
  void headDimensionsThatNoTileHasAreRefused() {
    assertEquals("no attention_shared_qkv for head dimension 288: a multiple of 32 up to 256", refusal(
        "attention_shared_qkv", 288));
    assertEquals("no attention_tiled_qkv for head dimension 544: a multiple of 64 up to 1024", refusal(
        "attention_tiled_qkv", 544));
    assertEquals("no attention_tiled_kv for head dimension 576: a multiple of 128 up to 1024", refusal(
        "attention_tiled_kv", 576));
    assertEquals("no attention_split_q for head dimension 40: a multiple of 32 up to 256", refusal(
        "attention_split_q", 40));
  }

  private static String refusal(String name, int dim) {
    var choice = family(name).sized(family(name).defaults(), List.of(1, 8, 1, dim));
    return assertThrows(IllegalArgumentException.class, () -> family(name).workload(choice)).getMessage();
  }
}
