package tilewright.simulator.explore;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import tilewright.simulator.core.SyncObject;
import tilewright.simulator.core.SyncTrace.Use;

/**
 * The order that a run's steps must keep in every schedule that is equivalent to it, and the pairs of steps that have
 * none: the races of Abdulla, Aronis, Jonsson and Sagonas, "Optimal dynamic partial order reduction", POPL 2014.
 *
 * <p>Arrivals that complete one phase together have no order among themselves. A wait comes behind all arrivals of the
 * phases that are over, and races with the completion of the phase after that: it may come too late.
 */
final class HappensBefore {
  /**
   * Two steps in the order of the run that a schedule could reverse.
   *
   * @param needs the steps without which the second would not be what it is
   */
  record Race(int first, int second, BitSet needs) {}

  private record Done(int step, Action action) {}

  /** The places where a try to wait has failed, or will in a schedule that was asked for. */
  private final Set<Integer> failed;
  private final List<String> agents = new ArrayList<>();
  /** By step, the steps that come before it in every equivalent schedule. */
  private final List<BitSet> before = new ArrayList<>();
  /**
   * By step, the waits that saw the phase which it completes. In an equivalent schedule another arrival may complete
   * it, so this is no order of the run; but a step that completes a phase cannot begin where such a wait follows.
   */
  private final List<BitSet> behind = new ArrayList<>();
  private final Map<String, BitSet> known = new HashMap<>();
  private final Map<SyncObject, List<Done>> history = new HashMap<>();

  HappensBefore(Set<Integer> failed) {
    this.failed = failed;
  }

  /** Adds the next step of the run and returns the races in which it is the second. */
  List<Race> add(String agent, Run.Step step) {
    int number = agents.size();
    agents.add(agent);
    var own = (BitSet) known.getOrDefault(agent, new BitSet()).clone();
    for (var action : step.footprint().actions()) if (action.use() == Use.RESUME) learn(action, own);
    var all = (BitSet) own.clone();
    var racing = new BitSet();
    var late = new BitSet();
    for (var action : step.footprint().actions()) {
      for (var done : history.getOrDefault(action.object(), List.of())) {
        if (done.step == number) continue;
        var relation = action.to(done.action);
        if (relation == Action.Relation.NONE) continue;
        all.set(done.step);
        all.or(before.get(done.step));
        if (relation == Action.Relation.RACE && !own.get(done.step)) {
          (action.asks() ? late : racing).set(done.step);
        }
      }
    }
    before.add(all);
    var races = new ArrayList<Race>();
    if (step.tried().isPresent()) races.addAll(hasty(step, own, number));
    racing.stream().filter(i -> isDirect(i, own, all)).forEach(i -> races.add(new Race(i, number, own)));
    // A wait that could have come two phases earlier could not have come one phase earlier.
    late.stream().forEach(i -> races.add(new Race(i, number, own)));
    var waits = new BitSet();
    for (var action : step.footprint().actions()) {
      history.computeIfAbsent(action.object(), _ -> new ArrayList<>()).add(new Done(number, action));
      if (!action.completes()) continue;
      var participants = participants(action);
      var missed = missed(action, participants);
      waits.or(missed);
      missed.stream().forEach(i -> races.add(new Race(i, number, participants)));
    }
    behind.add(waits);
    var knows = (BitSet) all.clone();
    knows.set(number);
    known.put(agent, knows);
    for (var issued : step.issued()) known.put(issued, knows);
    return races;
  }

  /** A try to wait could have come before its phase was over, and failed: once at each place is enough. */
  private List<Race> hasty(Run.Step step, BitSet own, int number) {
    int site = step.tried().getAsInt();
    for (var action : step.footprint().actions()) {
      if (action.use() == Use.BLOCK) failed.add(site);
      if (action.use() != Use.WAIT || failed.contains(site)) continue;
      for (var done : history.getOrDefault(action.object(), List.of())) {
        boolean over = done.action.completes() && done.action.phase() == action.phase() - 1;
        if (!over || own.get(done.step)) continue;
        failed.add(site);
        return List.of(new Race(done.step, number, own));
      }
    }
    return List.of();
  }

  /** A step begins with what the agent has waited for. */
  private void learn(Action resume, BitSet own) {
    for (var done : history.getOrDefault(resume.object(), List.of())) {
      if (resume.to(done.action) == Action.Relation.NONE) continue;
      own.set(done.step);
      own.or(before.get(done.step));
    }
  }

  /** Whether no other step stands between two steps. */
  private boolean isDirect(int first, BitSet own, BitSet all) {
    return all.stream().noneMatch(i -> i > first && !own.get(i) && before.get(i).get(first));
  }

  /** The steps that a completion is made of. */
  private BitSet participants(Action completion) {
    var participants = new BitSet();
    for (var done : history.get(completion.object())) {
      if (!done.action.arrives() || done.action.phase() != completion.phase()) continue;
      participants.set(done.step);
      participants.or(before.get(done.step));
    }
    return participants;
  }

  /** The waits that saw the phase before the one that is completed now, and could have come only after this. */
  private BitSet missed(Action completion, BitSet participants) {
    var waits = new BitSet();
    for (var done : history.get(completion.object())) {
      if (done.action.asks() && done.action.phase() == completion.phase()) waits.set(done.step);
    }
    waits.andNot(participants);
    return waits;
  }

  /**
   * The agents with which a schedule can begin at the first step of a race so that the second comes first; none where
   * that is hard to say.
   */
  List<String> initials(Race race) {
    var after = new BitSet();
    after.set(race.first);
    for (int k = race.first + 1; k < race.second; k++) {
      if (before.get(k).intersects(after) || behind.get(k).intersects(after)) after.set(k);
    }
    if (race.needs.intersects(after)) return List.of();
    var rest = new BitSet();
    rest.set(race.first + 1, race.second + 1);
    rest.andNot(after);
    var seen = new HashSet<String>();
    var initials = new ArrayList<String>();
    rest.stream().filter(k -> seen.add(agents.get(k)))
        .filter(k -> !before.get(k).intersects(rest) && !behind.get(k).intersects(rest))
        .forEach(k -> initials.add(agents.get(k)));
    // The agent whose step shall come first leads there at once, if it can.
    var wanted = agents.get(race.second);
    if (initials.remove(wanted)) initials.addFirst(wanted);
    return initials;
  }
}
