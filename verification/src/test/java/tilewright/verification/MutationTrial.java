package tilewright.verification;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxParser;
import tilewright.simulator.Program;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;

/**
 * One launch of one kernel on the simulator, as it is and with one thing wrong: a mutant is noticed by a finding of
 * the sanitizer, by a result that the check calls wrong, or by taking twenty times the kernel's own instructions.
 *
 * @param buffers new inputs and outputs for every run
 * @param check what is wrong with a run's buffers, if anything
 * @param seeds schedules: 0, 1, …; a mutant is tried under one after the other until one of them notices
 * @param equivalent mutants that are no mistakes, which are left out
 */
record MutationTrial(PreparedLaunch launch, Supplier<Map<String, MemorySegment>> buffers,
    Function<Map<String, MemorySegment>, Optional<String>> check, int seeds, Predicate<Mutant> equivalent) {
  private static final int PATIENCE = 20;
  private static final int WORKERS = Math.min(2, Runtime.getRuntime().availableProcessors());

  /** Under twenty schedules, where the results do not matter. */
  static MutationTrial of(PreparedLaunch launch, Supplier<Map<String, MemorySegment>> buffers) {
    return new MutationTrial(launch, buffers, _ -> Optional.empty(), 20, _ -> false);
  }

  /** The same on buffers of so many zero bytes: enough wherever no value decides what the kernel does. */
  static MutationTrial ofZeros(PreparedLaunch launch, Map<String, Integer> bytes) {
    return of(launch, () -> bytes.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e ->
        MemorySegment.ofArray(new byte[e.getValue()]))));
  }

  /** With a grid that is not the kernel's own: fewer CTAs have more tiles each, so that rings wrap. */
  MutationTrial on(Dim3 grid) {
    var other = new PreparedLaunch(launch.kernel(), grid, launch.arguments(), launch.scratch());
    return new MutationTrial(other, buffers, check, seeds, equivalent);
  }

  MutationTrial withSeeds(int count) {
    return new MutationTrial(launch, buffers, check, count, equivalent);
  }

  /** Notices wrong results too. */
  MutationTrial withCheck(Function<Map<String, MemorySegment>, Optional<String>> wrong) {
    return new MutationTrial(launch, buffers, wrong, seeds, equivalent);
  }

  /** Notices results with other bits than the kernel itself gives, which other tests compare with a reference. */
  MutationTrial comparing(String output) {
    var expected = buffers.get();
    Simulator.load(module()).run(launch.on(expected), SimulatorOptions.defaults());
    return withCheck(actual -> expected.get(output).mismatch(actual.get(output)) < 0 ? Optional.empty()
        : Optional.of(output + " differs"));
  }

  /** Leaves out mutants that the caller has shown to be no mistakes. */
  MutationTrial exceptFor(Predicate<Mutant> harmless) {
    return new MutationTrial(launch, buffers, check, seeds, equivalent.or(harmless));
  }

  /** The kernel as it was printed, so that its instructions know their lines. */
  PtxModule module() {
    return PtxParser.parse(launch.kernel().ptx());
  }

  void assertTheKernelItselfIsClean() {
    var program = Simulator.load(module());
    for (long seed = 0; seed < seeds; seed++) {
      assertEquals(List.of(), findings(program, seed, Long.MAX_VALUE), "seed " + seed);
    }
  }

  /** Fails with the mutants, by PTX line, that no schedule notices. */
  void assertNoticed(Function<PtxModule, List<Mutant>> mutations) {
    var mutants = mutants(mutations);
    assertFalse(mutants.isEmpty(), "nothing to mutate in " + launch.kernel().name());
    var missed = missed(mutants).stream().map(Mutant::change).toList();
    assertEquals(List.of(), missed, "of " + mutants.size() + " mutants not noticed under " + seeds + " seeds");
  }

  /** The mutants of one kind that are mistakes. */
  List<Mutant> mutants(Function<PtxModule, List<Mutant>> mutations) {
    return mutations.apply(module()).stream().filter(equivalent.negate()).toList();
  }

  /** Those of them that no schedule notices, two mutants at a time. */
  List<Mutant> missed(List<Mutant> mutants) {
    long limit = PATIENCE * instructions();
    try (var workers = Executors.newFixedThreadPool(WORKERS)) {
      var noticed = workers.invokeAll(mutants.stream().map(m -> (Callable<Boolean>) () -> notices(m, limit)).toList());
      var missed = new ArrayList<Mutant>();
      for (int i = 0; i < mutants.size(); i++) {
        if (!noticed.get(i).get()) missed.add(mutants.get(i));
      }
      return missed;
    } catch (ExecutionException e) {
      throw new IllegalStateException("a mutant cannot be run", e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted among the mutants", e);
    }
  }

  private boolean notices(Mutant mutant, long limit) {
    var program = Simulator.load(mutant.module());
    return LongStream.range(0, seeds).anyMatch(seed -> !findings(program, seed, limit).isEmpty());
  }

  private List<String> findings(Program program, long seed, long limit) {
    var held = buffers.get();
    var options = SimulatorOptions.defaults().withSanitizer(true).withSeed(seed).withThreads(1)
        .withInstructionLimit(limit);
    var found = program.run(launch.on(held), options).findings();
    return found.isEmpty() ? check.apply(held).stream().toList()
        : found.stream().map(Object::toString).toList();
  }

  private long instructions() {
    return Simulator.load(module()).run(launch.on(buffers.get()), SimulatorOptions.defaults()).instructions();
  }
}
