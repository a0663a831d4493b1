package tilewright.simulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random sequences of operations on mbarriers, by their own block and by another, against the state machine's
 * definition.
 */
class MbarrierModelTest {
  private static final int STEPS = 60;
  private static final int BARRIERS = 2;

  /** The definition (PTX ISA, phase completion of the mbarrier object). */
  private static final class Model {
    int expected;
    int pending;
    int transactions;
    int phase;

    void complete() {
      if (pending == 0 && transactions == 0) {
        phase++;
        pending = expected;
      }
    }
  }

  private final StringBuilder body = new StringBuilder();
  private final List<Integer> expected = new ArrayList<>();
  private final Model[] models = new Model[BARRIERS];
  /** By token register, the phase it was returned in. */
  private final List<int[]> tokens = new ArrayList<>();
  private SplittableRandom random;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
  void everyOperationDoesWhatTheDefinitionSays(long seed) {
    random = new SplittableRandom(seed);
    body.append("""
        .shared .align 8 .b64 bar[2];
        mov.u32 %r1, %cluster_ctarank;
        setp.eq.u32 %q0, %r1, 0;
        setp.eq.u32 %q1, %r1, 1;
        mov.u32 %r3, bar;
        mapa.shared::cluster.u32 %r4, %r3, 0;
        """);
    for (int b = 0; b < BARRIERS; b++) {
      models[b] = new Model();
      models[b].expected = models[b].pending = 2 + random.nextInt(6);
      emit("@%q0 mbarrier.init.shared.b64 [%r3+" + 8 * b + "], " + models[b].pending + ";");
    }
    emit("@%q0 fence.mbarrier_init.release.cluster;");
    for (int step = 0; step < STEPS; step++) {
      emit("barrier.cluster.arrive;\nbarrier.cluster.wait;");
      step(random.nextInt(BARRIERS));
      emit("barrier.cluster.arrive;\nbarrier.cluster.wait;");
      for (int b = 0; b < BARRIERS; b++) look(b);
      lookByToken();
    }
    int[] out = new int[expected.size()];
    var result = Clusters.run(Clusters.kernel(1, body.toString()), 2, 1, Kernels.PLAIN.withSeed(seed), out);
    assertEquals(List.of(), result.findings());
    assertEquals(expected, java.util.Arrays.stream(out).boxed().toList());
  }

  private void emit(String line) {
    body.append(line).append('\n');
  }

  private void step(int b) {
    var m = models[b];
    boolean remote = random.nextBoolean();
    var guard = remote ? "@%q1 " : "@%q0 ";
    var space = remote ? ".shared::cluster.b64" : ".shared::cta.b64";
    var place = "[" + (remote ? "%r4+" : "%r3+") + 8 * b + "]";
    var scope = List.of("", ".release.cta", ".release.cluster", ".relaxed.cluster").get(random.nextInt(4));
    int bytes = 1 + random.nextInt(500);
    int count = m.pending == 0 ? 0 : 1 + random.nextInt(m.pending);
    switch (random.nextInt(6)) {
      case 0 -> {
        m.transactions += bytes;
        emit(guard + "mbarrier.expect_tx.relaxed.cluster" + space + " " + place + ", " + bytes + ";");
      }
      case 1 -> {
        // Half of the time exactly what is outstanding, so that phases end by transactions too.
        if (m.transactions > 0 && random.nextBoolean()) bytes = m.transactions;
        m.transactions -= bytes;
        emit(guard + "mbarrier.complete_tx.relaxed.cluster" + space + " " + place + ", " + bytes + ";");
      }
      case 2 -> {
        if (count == 0) return;
        m.transactions += bytes;
        arrive(m, guard + "mbarrier.arrive.expect_tx" + scope + space, remote, place, bytes, 1);
      }
      case 3 -> {
        if (count == 0 || m.expected - count < 1) return;
        m.expected -= count;
        arrive(m, guard + "mbarrier.arrive_drop" + scope + space, remote, place, count, count);
      }
      case 4 -> {
        if (count == 0 || remote || count == m.pending && m.transactions == 0) return;
        arrive(m, guard + "mbarrier.arrive.noComplete" + space, false, place, count, count);
      }
      default -> {
        if (count > 0) arrive(m, guard + "mbarrier.arrive" + scope + space, remote, place, count, count);
      }
    }
    m.complete();
  }

  private void arrive(Model m, String instruction, boolean remote, String place, int operand, int count) {
    if (remote || tokens.size() == 24) {
      emit(instruction + " _, " + place + ", " + operand + ";");
    } else {
      var token = "%l" + (8 + tokens.size());
      emit(instruction + " " + token + ", " + place + ", " + operand + ";");
      emit("@%q0 mbarrier.pending_count.b64 %r5, " + token + ";");
      log(m.pending);
      tokens.add(new int[] {m == models[0] ? 0 : 1, m.phase});
    }
    m.pending -= count;
  }

  /** Both parities: exactly that of the phase before the current one is over. */
  private void look(int b) {
    for (int parity = 0; parity < 2; parity++) {
      emit("@%q0 mbarrier.test_wait.parity.shared.b64 %q2, [%r3+" + 8 * b + "], " + parity + ";");
      emit("selp.u32 %r5, 1, 0, %q2;");
      log((models[b].phase - 1 & 1) == parity ? 1 : 0);
    }
  }

  /** A state serves until the phase after its own is over. */
  private void lookByToken() {
    for (int k = Math.max(0, tokens.size() - 2); k < tokens.size(); k++) {
      int b = tokens.get(k)[0];
      int phase = tokens.get(k)[1];
      if (models[b].phase > phase + 1) continue;
      emit("@%q0 mbarrier.test_wait.shared.b64 %q2, [%r3+" + 8 * b + "], %l" + (8 + k) + ";");
      emit("selp.u32 %r5, 1, 0, %q2;");
      log(models[b].phase > phase ? 1 : 0);
    }
  }

  private void log(int value) {
    emit("@%q0 st.global.u32 [%p0+" + 4 * expected.size() + "], %r5;");
    expected.add(value);
  }
}
