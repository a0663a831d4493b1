package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import tilewright.ptx.Dim3;
import tilewright.ptx.Launch;
import tilewright.ptx.tensormap.TensorElement;
import tilewright.ptx.tensormap.TensorMap;
import tilewright.ptx.tensormap.TensorView;

/** Three blocks that add to the same numbers, one after the other. */
class OrderedReductionsTest {
  private static final int SEEDS = 8;
  private static final TensorMap MAP =
      new TensorMap.Tiled(TensorView.of(TensorElement.F32, List.of(32L, 32L), List.of(128L)), List.of(16, 4));
  private static final String DONE = "@%q0 cp.async.bulk.commit_group;\n@%q0 cp.async.bulk.wait_group 0;";

  /** The instructions by which a block adds, and wait for that. */
  enum Way {
    RED("red.relaxed.gpu.global.add.f32 [%l1], %f0;"),
    ATOM("atom.relaxed.gpu.global.add.f32 %f1, [%l1], %f0;"),
    BULK("@%q0 cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%p1], [%r10], 256;\n" + DONE),
    TENSOR("@%q0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [map, {%r1, %r1}], [%r10];\n"
        + DONE);

    private final String text;

    Way(String text) {
      this.text = text;
    }

    boolean isAsynchronous() {
      return this == BULK || this == TENSOR;
    }

    String ptx() {
      return Kernels.kernel("sm_90a", 2, List.of(".param .align 64 .b8 map[128]"), "", """
          .shared .align 128 .b8 tile[256];
          mov.u32 %r10, tile;
          mad.lo.u32 %r11, %t, 4, %r10;
          mov.u32 %r1, 0;
          mov.u32 %r2, %ctaid.x;
          mov.f32 %f0, 0f3F800000;
          add.s64 %l1, %p1, %t4;
          setp.eq.u32 %q0, %t, 0;
          st.shared.f32 [%r11], %f0;
          fence.proxy.async.shared::cta;
          @!%q0 bra COME;
          SPIN: ld.acquire.gpu.global.u32 %r3, [%p0];
          setp.ne.u32 %q1, %r3, %r2;
          @%q1 bra SPIN;
          COME: bar.sync 0;
          ADD
          bar.sync 0; // behind
          @%q0 red.release.gpu.global.add.u32 [%p0], 1;
          """.replace("ADD", text));
    }
  }

  private static List<List<Finding>> findings(String ptx, boolean ordered) {
    var all = new ArrayList<List<Finding>>();
    for (int seed = 0; seed < SEEDS; seed++) {
      var l = Kernels.launch(ptx, Dim3.of(3), Dim3.of(64), 0, new int[1024], new int[1024]);
      var arguments = new ArrayList<>(l.arguments());
      arguments.add(new Launch.Argument.TensorMapOf(new Launch.Argument.Buffer("arg1"), MAP));
      var options = Kernels.SANITIZED.withThreads(1).withSeed(seed);
      all.add(Simulator.load(ptx).run(new Launch(ptx, "k", l.grid(), l.block(), Dim3.of(1), 0, l.buffers(), arguments),
          ordered ? options.withOrderedReductions(Set.of("arg1")) : options).findings());
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource
  void blocksThatTakeTurnsAreInOrder(Way way) {
    for (var found : findings(way.ptx(), true)) assertEquals(List.of(), found);
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(Way.values()).flatMap(way -> Stream.concat(Stream.of(
        Arguments.of(way, "red.release.gpu", "red.relaxed.gpu"), Arguments.of(way, "ld.acquire.gpu", "ld.relaxed.gpu"),
        Arguments.of(way, "ld.acquire.gpu.global.u32 %r3, [%p0]", "mov.u32 %r3, %r2")),
        way.isAsynchronous() ? Stream.of(Arguments.of(way, "wait_group 0", "wait_group.read 0"),
            Arguments.of(way, "wait_group 0", "wait_group 1"),
            Arguments.of(way, "@%q0 cp.async.bulk.wait_group 0;", ""),
            Arguments.of(way, "@%q0 cp.async.bulk.commit_group;", ""))
            : Stream.of(Arguments.of(way, "COME: bar.sync 0;", "COME:"),
                Arguments.of(way, "bar.sync 0; // behind", ""))));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aTurnThatFixesNoOrderIsReportedUnderEverySchedule(Way way, String right, String wrong) {
    var ptx = way.ptx();
    assertTrue(ptx.contains(right));
    for (var found : findings(ptx.replace(right, wrong), true)) {
      assertTrue(found.stream().anyMatch(OrderedReductionsTest::isOfTheSums), found::toString);
    }
  }

  private static boolean isOfTheSums(Finding f) {
    return f.kind() == Finding.Kind.RACE && f.message().contains("updates 'arg1' + ");
  }

  /** The sums are right, but for the last bits. */
  @ParameterizedTest
  @EnumSource
  void withoutAnOrderTheyMayAddAsTheyCome(Way way) {
    for (var found : findings(way.ptx()
        .replace("ld.acquire.gpu.global.u32 %r3, [%p0]", "mov.u32 %r3, %r2"), false)) assertEquals(List.of(), found);
  }
}
