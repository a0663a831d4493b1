package tilewright.verification.mutation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import tilewright.kernel.PreparedLaunch;
import tilewright.ptx.Dim3;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxParser;
import tilewright.simulator.SimulationResult;
import tilewright.simulator.Simulator;
import tilewright.simulator.SimulatorOptions;
import tilewright.verification.CooperativeLaunch;
import tilewright.verification.LongSuite;

/**
 * One launch of one kernel on the simulator, as it is and with one thing wrong: a mutant is noticed by a finding of
 * the sanitizer, by a result that the check calls wrong, or by taking many times the kernel's own instructions.
 *
 * @param buffers new inputs and outputs for every run
 * @param check what is wrong with a run's buffers, if anything
 * @param seeds of schedules; a mutant is tried under one after the other until one of them notices
 * @param equivalent mutants that are no mistakes, which are left out
 * @param ordered buffers to which CTAs have to add in a fixed order
 */
record MutationTrial(PreparedLaunch launch, Supplier<Map<String, MemorySegment>> buffers,
    Function<Map<String, MemorySegment>, Optional<String>> check, List<Long> seeds, Predicate<Mutant> equivalent,
    Set<String> ordered) {
  /** Under twenty schedules, where the results do not matter. */
  static MutationTrial of(PreparedLaunch launch, Supplier<Map<String, MemorySegment>> buffers) {
    return new MutationTrial(launch, buffers, _ -> Optional.empty(), first(20), _ -> false, Set.of());
  }

  /** Under twenty schedules, on buffers of zeros: enough wherever no value decides what the kernel does. */
  static MutationTrial ofZeros(PreparedLaunch launch, Map<String, Integer> bytes) {
    return of(launch, () -> bytes.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey, e ->
        MemorySegment.ofArray(new byte[e.getValue()]))));
  }

  /** Under twenty schedules, on copies of these buffers. */
  static MutationTrial onCopies(PreparedLaunch launch, Map<String, MemorySegment> buffers) {
    return of(launch, () -> buffers.entrySet().stream().collect(Collectors.toMap(Map.Entry::getKey,
        e -> MemorySegment.ofArray(e.getValue().toArray(ValueLayout.JAVA_BYTE)))));
  }

  /** With a grid that is not the kernel's own: fewer CTAs have more tiles each, so that rings wrap. */
  MutationTrial on(Dim3 grid) {
    var other = new PreparedLaunch(launch.kernel(), grid, launch.arguments(), launch.scratch());
    return new MutationTrial(other, buffers, check, seeds, equivalent, ordered);
  }

  /** With all CTAs at the same time, in short turns, so that they overtake each other. */
  MutationTrial together() {
    return new MutationTrial(CooperativeLaunch.of(launch), buffers, check, seeds, equivalent, ordered);
  }

  /** Under the first {@code count} schedules. */
  MutationTrial withSeeds(int count) {
    return withSeeds(first(count));
  }

  /** Under these schedules, where it matters which come first. */
  MutationTrial withSeeds(List<Long> others) {
    return new MutationTrial(launch, buffers, check, others, equivalent, ordered);
  }

  private static List<Long> first(int count) {
    return LongStream.range(0, count).boxed().toList();
  }

  /** Notices wrong results too. */
  MutationTrial withCheck(Function<Map<String, MemorySegment>, Optional<String>> wrong) {
    return new MutationTrial(launch, buffers, wrong, seeds, equivalent, ordered);
  }

  /** Notices results with other bits than the kernel itself gives, which other tests compare with a reference. */
  MutationTrial comparing(String... outputs) {
    var expected = buffers.get();
    Simulator.load(module()).run(launch.on(expected), SimulatorOptions.defaults());
    return withCheck(actual -> Stream.of(outputs).filter(name -> expected.get(name).mismatch(actual.get(name)) >= 0)
        .findFirst().map(name -> name + " differs"));
  }

  /** Notices two reductions of one place in these buffers that nothing orders. */
  MutationTrial withOrderedReductions(String... names) {
    return new MutationTrial(launch, buffers, check, seeds, equivalent, Set.of(names));
  }

  /** Leaves out mutants that the caller has shown to be no mistakes. */
  MutationTrial exceptFor(Predicate<Mutant> harmless) {
    return new MutationTrial(launch, buffers, check, seeds, equivalent.or(harmless), ordered);
  }

  /** The kernel as it was printed, so that its instructions know their lines. */
  PtxModule module() {
    return PtxParser.parse(launch.kernel().ptx());
  }

  void assertTheKernelItselfIsClean() {
    assertTheKernelItselfIsClean(List.of(this));
  }

  /** Under some schedules: beside mutants, the kernel itself runs under all that one of them needs. */
  private static void assertTheKernelItselfIsClean(List<MutationTrial> trials) {
    var program = Simulator.load(trials.getFirst().module());
    for (var trial : trials) {
      for (long seed : LongSuite.of(trial.seeds)) {
        var held = trial.buffers.get();
        var result = program.run(trial.launch.on(held), trial.options(seed));
        assertEquals(List.of(), trial.findings(result, held), "seed " + seed);
      }
    }
  }

  /** A test that the kernel itself is clean, and one for each kind of flaw that its mutants are noticed. */
  Stream<DynamicTest> tests(Flaw... flaws) {
    return tests(List.of(this), (_, missed) -> assertNone(missed), LongSuite::of, flaws);
  }

  /**
   * Tests like {@link #tests(Flaw...)} for several trials of one kernel: one of them has to notice a mutant, except for
   * kinds of flaw with mutants that none notices.
   *
   * @param judge of the mutants of a kind that no trial notices
   */
  static Stream<DynamicTest> tests(List<MutationTrial> trials, BiConsumer<Flaw, List<Mutant>> judge, Flaw... flaws) {
    return tests(trials, judge, UnaryOperator.identity(), flaws);
  }

  /** The same of some of the mutants. */
  static Stream<DynamicTest> tests(List<MutationTrial> trials, BiConsumer<Flaw, List<Mutant>> judge,
      UnaryOperator<List<Mutant>> sample, Flaw... flaws) {
    var first = trials.getFirst();
    var module = first.module();
    var kinds = new LinkedHashMap<Flaw, List<Mutant>>();
    for (var flaw : flaws) kinds.put(flaw, sample.apply(first.mistakes(flaw.in(module))));
    var all = new MutantSwitch(trials, kinds.values().stream().flatMap(List::stream).toList());
    return Stream.concat(
        Stream.of(DynamicTest.dynamicTest("the kernel itself is clean", () -> assertTheKernelItselfIsClean(trials))),
        kinds.entrySet().stream().map(kind -> DynamicTest.dynamicTest(kind.getKey() + " is noticed", () -> {
          assertFalse(kind.getValue().isEmpty(), "nothing to mutate in " + first.launch.kernel().name());
          judge.accept(kind.getKey(), all.missed(kind.getValue()));
        })));
  }

  /** Fails with the mutants, by PTX line, that no schedule notices. */
  void assertNoticed(Function<PtxModule, List<Mutant>> mutations) {
    var mutants = mutants(mutations);
    assertFalse(mutants.isEmpty(), "nothing to mutate in " + launch.kernel().name());
    assertNone(missed(mutants));
  }

  private static void assertNone(List<Mutant> missed) {
    assertEquals(List.of(), missed.stream().map(Mutant::change).toList(), "not noticed");
  }

  /** The mutants of one kind that are mistakes. */
  List<Mutant> mutants(Function<PtxModule, List<Mutant>> mutations) {
    return mistakes(mutations.apply(module()));
  }

  private List<Mutant> mistakes(List<Mutant> mutants) {
    return mutants.stream().filter(equivalent.negate()).toList();
  }

  /** Those of them that no schedule notices. */
  List<Mutant> missed(List<Mutant> mutants) {
    return mutants.isEmpty() ? List.of() : new MutantSwitch(List.of(this), mutants).missed(mutants);
  }

  SimulatorOptions options(long seed) {
    return SimulatorOptions.defaults().withSanitizer(true).withOrderedReductions(ordered).withSeed(seed).withThreads(1);
  }

  /** The flaws of a run that left these buffers. */
  List<String> findings(SimulationResult result, Map<String, MemorySegment> held) {
    return result.findings().isEmpty() ? check.apply(held).stream().toList()
        : result.findings().stream().map(Object::toString).toList();
  }
}
