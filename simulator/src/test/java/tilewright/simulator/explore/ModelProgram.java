package tilewright.simulator.explore;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;

/** A few agents that synchronise as warps do, without any PTX: small enough to try every interleaving. */
record ModelProgram(List<List<Op>> agents, int[] expected) {
  static final String STUCK = "stuck";
  private static final int WORDS = 2;
  private static final int MOST_STEPS = 7;

  /** One step of an agent; {@code at} is the number of a barrier or of a word. */
  record Op(Kind kind, int at, int value) {}

  /** The kinds of steps. */
  enum Kind { ARRIVE, ARRIVE_LATER, EXPECT, WAIT, POLL, READ, WRITE, ADD }

  /** Programs of two or three agents with up to four steps each, on one or two barriers and words. */
  static ModelProgram random(RandomGenerator random) {
    var agents = new ArrayList<List<Op>>();
    int count = 2 + random.nextInt(2);
    int steps = 0;
    int[] expected = {1 + random.nextInt(2), 1 + random.nextInt(2)};
    for (int a = 0; a < count; a++) {
      var ops = new ArrayList<Op>();
      int length = Math.min(1 + random.nextInt(count == 2 ? 4 : 3), MOST_STEPS - steps);
      steps += length;
      for (int i = 0; i < length; i++) {
        var kind = Kind.values()[random.nextInt(Kind.values().length)];
        ops.add(new Op(kind, random.nextInt(2), random.nextInt(2)));
      }
      agents.add(ops);
    }
    return new ModelProgram(agents, expected);
  }

  /** A run of the program. */
  final class ModelRun implements Run {
    private final int[] next = new int[agents.size()];
    private final boolean[] blocked = new boolean[agents.size()];
    private final int[] phase = new int[expected.length];
    private final int[] pending = expected.clone();
    private final int[] words = new int[WORDS];
    private final List<StringBuilder> seen = new ArrayList<>();
    /** Barriers at which operations will arrive, by the operations' names. */
    private final Map<String, Integer> later = new TreeMap<>();
    private final List<Action> actions = new ArrayList<>();

    ModelRun() {
      for (int a = 0; a < agents.size(); a++) seen.add(new StringBuilder());
    }

    /** All that can be told of the run at its end, or that some agent waits for ever. */
    String state() {
      for (int a = 0; a < next.length; a++) if (next[a] < agents.get(a).size()) return STUCK;
      return Arrays.toString(next) + Arrays.toString(phase) + Arrays.toString(pending)
          + Arrays.toString(words) + seen;
    }

    @Override
    public List<String> enabled() {
      var names = new ArrayList<String>();
      for (int a = 0; a < next.length; a++) {
        if (!blocked[a] && next[a] < agents.get(a).size()) names.add(Integer.toString(a));
      }
      names.addAll(later.keySet());
      return names;
    }

    @Override
    public Step step(String agent) {
      actions.clear();
      var issued = new ArrayList<String>();
      if (later.containsKey(agent)) {
        arrive(later.remove(agent));
      } else {
        int a = Integer.parseInt(agent);
        step(a, agents.get(a).get(next[a]), issued);
      }
      return new Step(new Footprint(actions, false), issued, OptionalInt.empty(), "");
    }

    private void step(int a, Op op, List<String> issued) {
      boolean over = (phase[op.at] & 1) != op.value;
      switch (op.kind) {
        case ARRIVE -> arrive(op.at);
        case ARRIVE_LATER -> {
          var name = a + "#" + next[a];
          later.put(name, op.at);
          issued.add(name);
        }
        case EXPECT -> {
          pending[op.at]++;
          phased(op.at, Use.EXPECT, false);
        }
        case WAIT -> {
          phased(op.at, over ? Use.WAIT : Use.BLOCK, false);
          blocked[a] = !over;
          if (!over) return;
        }
        case POLL -> {
          phased(op.at, Use.POLL, false);
          seen.get(a).append(over).append(' ');
        }
        case READ -> {
          word(op.at, Use.READ);
          seen.get(a).append(words[op.at]).append(' ');
        }
        case WRITE -> {
          word(op.at, Use.WRITE);
          seen.get(a).append(words[op.at]).append(' ');
          words[op.at] = 3 * words[op.at] + a + 1;
        }
        case ADD -> {
          word(op.at, Use.ADD);
          words[op.at] += 100;
        }
      }
      next[a]++;
    }

    private void arrive(int barrier) {
      boolean completes = --pending[barrier] == 0;
      phased(barrier, Use.ARRIVE, completes);
      if (!completes) return;
      phase[barrier]++;
      pending[barrier] = expected[barrier];
      Arrays.fill(blocked, false);
    }

    private void phased(int barrier, Use use, boolean completes) {
      actions.add(new Action(new SyncObject(SyncObject.Kind.MBARRIER, 0, 0, barrier), use, phase[barrier], completes));
    }

    private void word(int word, Use use) {
      actions.add(new Action(new SyncObject(SyncObject.Kind.GLOBAL_WORD, 0, 0, word), use, 0, false));
    }

    @Override
    public boolean failed() {
      return false;
    }

    @Override
    public String difference(Run other) {
      return "";
    }
  }
}
