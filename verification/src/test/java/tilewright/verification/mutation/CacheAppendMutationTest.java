package tilewright.verification.mutation;

import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.TestFactory;
import tilewright.ptx.Dim3;
import tilewright.verification.RegisteredFamilies;
import tilewright.verification.cases.FamilyCases;

/** The launch that appends to a cache with one thing wrong: each mistake changes a result, or is a finding. */
class CacheAppendMutationTest {
  private static final Pattern BEYOND = Pattern.compile(
      "ld\\.param\\.s32 (%r\\d+), \\[(?:B|PagesOfEntry|Positions|Rows)];");
  /** Threads of a CTA that have columns that are turned, and those that have others. */
  private static final List<Integer> THREADS = List.of(32, 224);

  /** More heads than a CTA has, with CTAs that have no tokens or heads, so that bounds on these matter. */
  @TestFactory
  Stream<DynamicContainer> everyMistakeIsNoticed() {
    var given = Stream.of(Map.of("cache", "e4m3", "pages", "yes"), Map.of("cache", "e4m3"))
        .map(options -> container(options, Flaw.LATE_GRID_WAIT, Flaw.LOOSER_BOUND));
    // The threads of a row wait for each other's largest magnitudes.
    return Stream.concat(given, Stream.of(container(Map.of("cache", "e4m3-tokens"), Flaw.LATE_GRID_WAIT,
        Flaw.LOOSER_BOUND, Flaw.MISSING_BARRIER)));
  }

  private static DynamicContainer container(Map<String, String> options, Flaw... flaws) {
    return DynamicContainer.dynamicContainer(options.toString(), trial(options).tests(flaws));
  }

  private static MutationTrial trial(Map<String, String> options) {
    var family = RegisteredFamilies.named("append_cache");
    var choice = family.sized(family.defaults().with(options), List.of(2, 3, 9, 9, 512, 64, 8));
    var launch = family.workload(choice).launch();
    var ptx = launch.kernel().ptx();
    return MutationTrial.onCopies(launch, FamilyCases.buffers(family, choice, 7)).on(new Dim3(4, 7, 2)).withSeeds(2)
        .exceptFor(mutant -> changesNothing(mutant, ptx)).comparing("K", "V", "Q");
  }

  /**
   * A looser bound on threads, by which one more moves what that of the next token moves, too; one on batch entries, of
   * which the grid has no more; and one on the room of a cache or table, which traps and is no clean launch's.
   */
  private static boolean changesNothing(Mutant mutant, String ptx) {
    var beyond = BEYOND.matcher(ptx).results().map(bound -> bound.group(1));
    return Stream.concat(THREADS.stream().map(String::valueOf), beyond)
        .anyMatch(bound -> mutant.change().endsWith(", " + bound + ";"));
  }
}
