package tilewright.cli.sweep;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import tilewright.cli.io.CommandFailure;
import tilewright.verification.Shard;

/**
 * The results of a sweep's shards as one.
 *
 * @param plans by the number of the shard
 * @param results by key; of several for one key the one that failed, or the first
 * @param doubles the results of those keys that have more than one
 */
record Merged(SequencedMap<Integer, SweepPlan> plans, Map<String, SweepResult> results,
    Map<String, List<SweepResult>> doubles) {

  /** @throws CommandFailure if the files are of different sweeps, or hold a result that no plan has */
  static Merged of(List<SweepFile> files) {
    var plans = new TreeMap<Integer, SweepPlan>();
    for (var file : files) file.plans().forEach(plan -> add(plans, file, plan));
    if (plans.isEmpty()) {
      throw CommandFailure.badInput("no file holds the plan of a shard; needed are files that --results has written");
    }
    var all = new TreeMap<String, List<SweepResult>>();
    plans.values().forEach(plan -> plan.runs().forEach(run -> all.put(run, new ArrayList<>())));
    for (var file : files) file.results().forEach(result -> add(all, plans.firstEntry().getValue(), file, result));
    var results = new LinkedHashMap<String, SweepResult>();
    var doubles = new LinkedHashMap<String, List<SweepResult>>();
    all.forEach((key, of) -> {
      if (!of.isEmpty()) results.put(key, of.stream().filter(SweepResult::isFailed).findFirst().orElse(of.getFirst()));
      if (of.size() > 1) doubles.put(key, List.copyOf(of));
    });
    return new Merged(plans, results, doubles);
  }

  private static void add(TreeMap<Integer, SweepPlan> plans, SweepFile file, SweepPlan plan) {
    var first = plans.isEmpty() ? plan : plans.firstEntry().getValue();
    requireSource(file, first, plan.source());
    require(file, "\"" + first.command() + "\"", "\"" + plan.command() + "\"");
    require(file, first.part().count() + " shards", plan.part().count() + " shards");
    require(file, first.total() + " runs in all", plan.total() + " runs in all");
    var twin = plans.putIfAbsent(plan.part().number(), plan);
    if (twin != null && !twin.equals(plan)) {
      throw CommandFailure.badFile(file.path(), "plans other runs for shard " + plan.shard()
          + " than another file does; merge only one of them");
    }
  }

  private static void requireSource(SweepFile file, SweepPlan first, SweepSource source) {
    first.source().difference(source).ifPresent(d -> require(file, d.here(), d.there()));
  }

  private static void require(SweepFile file, String needed, String found) {
    if (needed.equals(found)) return;
    throw CommandFailure.badFile(file.path(), "is of another sweep: of " + found + ", other files are of " + needed
        + "; merge the files of one sweep only");
  }

  private static void add(Map<String, List<SweepResult>> all, SweepPlan first, SweepFile file, SweepResult result) {
    requireSource(file, first, result.source());
    var known = all.get(result.run());
    if (known == null) {
      throw CommandFailure.badFile(file.path(), "holds a result that no shard here plans: " + result.run()
          + "; merge also the file that begins with its shard's plan");
    }
    known.add(result);
  }

  int shards() {
    return plans.firstEntry().getValue().part().count();
  }

  int total() {
    return plans.firstEntry().getValue().total();
  }

  /** Returns the command of the sweep, with which any shard can be run. */
  SweepPlan any() {
    return plans.firstEntry().getValue();
  }

  /** Returns the shards of which there is no plan, so no result either. */
  List<Shard> missingShards() {
    return IntStream.rangeClosed(1, shards()).filter(i -> !plans.containsKey(i)).mapToObj(i -> new Shard(i, shards()))
        .toList();
  }

  /** Returns the planned runs of a shard without a result. */
  List<String> missingRuns(SweepPlan plan) {
    return plan.runs().stream().filter(run -> !results.containsKey(run)).toList();
  }

  /** Returns the shards to run or to resume. */
  List<Shard> incomplete() {
    return IntStream.rangeClosed(1, shards())
        .filter(i -> Optional.ofNullable(plans.get(i)).map(this::missingRuns).map(runs -> !runs.isEmpty()).orElse(true))
        .mapToObj(i -> new Shard(i, shards())).toList();
  }

  /** Returns whether the results of one key disagree. */
  static boolean isContradiction(Collection<SweepResult> of) {
    return of.stream().map(SweepResult::status).distinct().count() > 1;
  }
}
