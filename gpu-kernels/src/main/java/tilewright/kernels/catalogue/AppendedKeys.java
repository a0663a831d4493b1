package tilewright.kernels.catalogue;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tilewright.kernel.Kernel;
import tilewright.kernel.Scope;
import tilewright.kernel.Target;
import tilewright.kernels.attention.Attention;
import tilewright.kernels.attention.AttentionProblem;
import tilewright.kernels.attention.AttentionProblem.Quantized;
import tilewright.kernels.attention.AttentionProblem.Sizes;
import tilewright.kernels.attention.appending.CacheAppend;
import tilewright.kernels.attention.appending.CacheCodes;
import tilewright.kernels.attention.appending.NewTokens;
import tilewright.kernels.attention.serving.Serving;
import tilewright.kernels.registry.Choice;
import tilewright.kernels.registry.Family;
import tilewright.kernels.registry.Operand;
import tilewright.kernels.registry.Setting;
import tilewright.kernels.registry.Workload;
import tilewright.numerics.ElementType;
import tilewright.reference.CacheAppendReference;
import tilewright.reference.Rotation;

/**
 * Appends new keys and values to a cache, turned by their positions.
 *
 * @param kernel what does it
 */
record AppendedKeys(CacheAppend kernel) implements Kernel {
  private static final String LENGTHS = "keyLengths";
  private static final String TABLE = "pageTable";
  /** Rows of a page. */
  private static final int PAGE = 16;
  /** Codes of queries too; or of the cache alone, by factors of heads that are given or of tokens that are computed. */
  private static final String CODES = "e4m3";
  private static final String HEADS = "e4m3-heads";
  private static final String TOKENS = "e4m3-tokens";
  private static final String SAME = "same";
  private static final List<Setting> OPTIONS = List.of(Setting.option("cache", SAME, CODES, HEADS, TOKENS),
      Setting.option("rope", "neighbours", "half", "none"), Setting.option("pages", "no", "yes"),
      Setting.option("queries", "yes", "no"));

  static final List<Family> FAMILIES = List.of(family(Target.SM90A.capability()));

  /** @param capability of the GPU that the kernels are for, times ten */
  private static Family family(int capability) {
    return new OptionedFamily("append_cache",
        "K (B,Sk,Hk,D), V and Q (B,S,H,D): new tokens before each entry's length, pairs of R columns turned", OPTIONS) {
      @Override
      List<Setting> common() {
        return List.of(Setting.extent("b", 64), Setting.extent("s", 1), Setting.extent("h", 32),
            Setting.extent("hk", 8), Setting.extent("d", 128), Setting.extent("r", 128), Setting.extent("sk", 4096),
            Setting.types("dtype", ElementType.BF16, ElementType.F16));
      }

      /** Each option beside the defaults of the others, and pages of codes. */
      @Override
      public boolean supports(Choice choice) {
        var plain = defaults();
        long others = settings().stream().filter(Setting::option)
            .filter(option -> !choice.text(option.name()).equals(plain.text(option.name()))).count();
        return others <= 1 || others == 2 && isPaged(choice) && !choice.text("cache").equals(SAME);
      }

      @Override
      public Set<String> positive() {
        return Set.of("hk", "d", "r", "sk");
      }

      @Override
      public Target target(Choice choice) {
        return choice.text("cache").equals(SAME) ? Target.SM80 : Target.ofBytes(capability);
      }

      /** The new rows and the caches. */
      @Override
      public long elements(Choice choice) {
        long rows = choice.number("s") * (choice.number("h") + 2L * choice.number("hk"))
            + 2L * choice.number("sk") * choice.number("hk");
        return choice.number("b") * rows * choice.number("d");
      }

      /** A token, more tokens or heads than a CTA has, rows of which a part is turned, and heads of any number. */
      @Override
      public List<List<Integer>> awkward() {
        return List.of(List.of(2, 1, 3, 1, 16, 16, 5), List.of(1, 70, 4, 2, 128, 128, 90),
            List.of(1, 2, 9, 9, 512, 64, 4), List.of(3, 3, 5, 5, 80, 48, 33), List.of(2, 5, 6, 3, 64, 32, 40));
      }

      @Override
      public List<List<Integer>> measured() {
        return List.of(List.of(64, 1, 32, 8, 128, 128, 1024), List.of(4, 4096, 32, 8, 128, 128, 8192));
      }

      @Override
      public Workload workload(Choice choice) {
        var problem = problem(choice);
        var s = problem.sizes();
        var rotation = Rotation.valueOf(choice.text("rope").toUpperCase(Locale.ROOT));
        int turned = rotation == Rotation.NONE ? 0 : choice.number("r");
        var tokens = NewTokens.dense(s, new NewTokens.Rotary(rotation, turned, s.keys()));
        boolean queries = choice.text("queries").equals("yes");
        var launch = CacheAppend.prepare(problem, queries ? tokens : tokens.withoutQueries(), target(choice));
        int rows = isPaged(choice) ? PAGE : s.keys();
        var ranges = choice.text("cache").equals(TOKENS) ? Map.of("K", range(false), "V", range(true))
            : Map.<String, CacheAppendReference.Range>of();
        var reference = new CacheAppendReference(s.queries(), s.heads(), s.keyHeads(), s.headDim(), s.valueDim(), rows,
            problem.cacheType(), problem.type(), ranges, rotation, turned, isPaged(choice));
        return Workload.of(launch, operands(choice, problem, turned, queries), reference).moving(moved(choice, problem,
            queries));
      }

      @Override
      public Family on(int other) {
        return family(other);
      }
    };
  }

  private static CacheAppendReference.Range range(boolean values) {
    return new CacheAppendReference.Range(CacheCodes.least(values), CacheCodes.most(values));
  }

  private static boolean isPaged(Choice choice) {
    return choice.text("pages").equals("yes");
  }

  private static AttentionProblem problem(Choice choice) {
    int dim = choice.number("d");
    var s = new Sizes(choice.number("b"), choice.number("s"), choice.number("sk"), choice.number("h"),
        choice.number("hk"), dim, dim);
    var type = choice.type("dtype");
    var attention = choice.text("cache").equals(CODES) ? Attention.forward(Quantized.perHead(type, s), s)
        : Attention.forward(type, s);
    attention.keyLengths(LENGTHS);
    if (choice.text("cache").equals(HEADS)) attention.codes(Serving.Codes.perHead(s.keyHeads()));
    if (choice.text("cache").equals(TOKENS)) {
      attention.codes(Serving.Codes.perToken(isPaged(choice) ? PAGE : s.keys(), s.keyHeads()));
    }
    return isPaged(choice) ? attention.pages(new Serving.Pages(TABLE, PAGE, count(choice))).problem()
        : attention.problem();
  }

  /** Pages of the cache: one more than its entries have. */
  private static int count(Choice choice) {
    return choice.number("b") * Math.ceilDiv(choice.number("sk"), PAGE) + 1;
  }

  private static List<Operand> operands(Choice choice, AttentionProblem p, int turned, boolean queries) {
    var type = choice.type("dtype");
    var slots = isPaged(choice) ? Integer.toString(count(choice)) : "b";
    var rows = isPaged(choice) ? Integer.toString(PAGE) : "sk";
    var pages = Integer.toString(Math.ceilDiv(p.sizes().keys(), PAGE));
    var pairs = Integer.toString(turned / 2);
    var cache = p.cacheType();
    var everywhere = Stream.of(Operand.input("newK", type, choice, "b", "s", "hk", "d"),
        Operand.input("newV", type, choice, "b", "s", "hk", "d"),
        Operand.indices(LENGTHS, p.sizes().keys() + 1L, choice, "b"),
        Operand.updated("K", cache, choice, slots, rows, "hk", "d"),
        Operand.updated("V", cache, choice, slots, rows, "hk", "d"));
    var ofQueries = Stream.of(Operand.input("newQ", type, choice, "b", "s", "h", "d"),
        Operand.output("Q", p.type(), choice, "b", "s", "h", "d")).filter(_ -> queries);
    var table = Stream.of(Operand.input(TABLE, ElementType.I32, choice, "b", pages)
        .filled(new Operand.Fill.Distinct(count(choice)))).filter(_ -> isPaged(choice));
    var angles = Stream.of("C", "T").map(name -> Operand.input(name, ElementType.F32, choice, "sk", pairs))
        .filter(_ -> turned > 0);
    var factors = Stream.of("descaleK", "descaleV", "descaleQ").filter(name -> isFactor(choice, name, queries))
        .map(name -> choice.text("cache").equals(TOKENS)
            ? Operand.updated(name, ElementType.F32, choice, slots, rows, "hk")
            : Operand.input(name, ElementType.F32, choice, "b", name.endsWith("Q") ? "h" : "hk"));
    return Stream.of(everywhere, ofQueries, table, angles, factors).flatMap(some -> some).toList();
  }

  private static boolean isFactor(Choice choice, String name, boolean queries) {
    return switch (choice.text("cache")) {
      case SAME -> false;
      case CODES -> queries || !name.endsWith("Q");
      default -> !name.endsWith("Q");
    };
  }

  /** Bytes that have to cross memory: the new tokens in both types, not the cache. */
  private static long moved(Choice choice, AttentionProblem p, boolean queries) {
    var s = p.sizes();
    long rows = (long) s.batch() * s.queries();
    int given = choice.type("dtype").bytes();
    return rows * s.headDim() * (2L * s.keyHeads() * (given + p.cacheType().bytes())
        + (queries ? s.heads() * (long) (given + p.type().bytes()) : 0));
  }

  @Override
  public String name() {
    return kernel.name();
  }

  @Override
  public void trace(Scope k) {
    kernel.trace(k);
  }
}
