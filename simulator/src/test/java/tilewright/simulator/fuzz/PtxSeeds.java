package tilewright.simulator.fuzz;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/**
 * The texts that PTX mutations begin with: whole modules, and kernels of a few instructions drawn from all forms that
 * ptxas accepts. Half of them are of either kind.
 */
final class PtxSeeds implements PtxSource {
  private static final List<String> MODULES = List.of("tma/load.ptx", "tma/store.ptx", "tma/cluster.ptx",
      "tma/replace.ptx", "cluster/exchange.ptx", "cluster/mbarriers.ptx", "cluster/registers.ptx",
      "blackwell/gemm_1sm.ptx", "blackwell/gemm_2sm_tma.ptx", "programs.ptx", "gemm.ptx");
  private static final int LARGE = 20_000;
  private static final String HEAD = """
      .version 9.0
      .target %s
      .address_size 64
      .extern .shared .align 1024 .b8 smem[];
      .global .align 16 .b8 data[256];
      .const .align 8 .b32 table[4] = {1, 2, 3, 4};
      .func (.param .b32 y) f(.param .b32 x) { .reg .b32 %%z; ld.param.b32 %%z, [x]; st.param.b32 [y], %%z; ret; }
      .visible .entry k(.param .u64 arg0, .param .align 64 .b8 map[128])
      {
      .shared .align 16 .b8 own[512];
      .local .align 8 .b8 mine[64];
      .reg .b64 %%l<16>; .reg .b32 %%r<140>; .reg .b16 %%h<8>; .reg .f32 %%f<300>; .reg .f64 %%d<40>;
      .reg .pred %%q<16>; .reg .b128 %%x<5>; .reg .b8 %%b<4>;
      ld.param.u64 %%l2, [arg0];
      mov.u32 %%r1, own;
      mov.u32 %%r2, %%tid.x;
      setp.lt.u32 %%q1, %%r2, 16;
      """;
  private static final List<List<String>> SAME_WIDTH = List.of(List.of("b8", "u8", "s8", "e4m3"),
      List.of("b16", "u16", "s16", "f16", "bf16", "e4m3x2", "ue8m0x2"),
      List.of("b32", "u32", "s32", "f32", "f16x2", "bf16x2", "tf32", "e4m3x4", "u16x2", "s16x2"),
      List.of("b64", "u64", "s64", "f64", "f32x2"));
  private static final List<String> PLAIN = List.of("bra END;", "@%q1 bra END;", "call (%r3), f, (%r2);", "exit;",
      "{ .reg .b32 %w; mov.b32 %w, %r2; add.u32 %r5, %w, 1; }", "@!%q1 exit;", "mov.b64 %l3, data;",
      "ld.const.u32 %r6, [table+4];", "st.local.b64 [mine+8], %l2;", "cvt.rn.f32.s32 %f1, %r2;");

  /** Uses of results: an instruction whose result nothing uses is not compiled. */
  private static final String USES = """
      st.global.b32 [%l2], %r1; st.global.b64 [%l2], %l1; st.global.f32 [%l2], %f1; st.global.b16 [%l2], %h1;
      st.global.f64 [%l2], %d1; selp.b32 %r2, 1, 2, %q1; st.global.b32 [%l2], %r2; st.global.b64 [%l2], %l3;
      st.global.b32 [%l2], %r3; st.global.b64 [%l2], %l4; st.global.b32 [%l2], %r4;
      """;

  private final List<String> modules = new ArrayList<>();
  private final List<List<String>> forms = new ArrayList<>();
  private final List<String> targets = List.of("sm_80", "sm_90a", "sm_100a");

  PtxSeeds() {
    for (var name : MODULES) {
      var text = new String(bytes(name), StandardCharsets.UTF_8);
      if (text.length() < LARGE) modules.add(text);
      else modules.addAll(functions(text));
    }
    for (var target : targets) {
      forms.add(new String(bytes("forms." + target + ".txt.gz"), StandardCharsets.UTF_8).lines().toList());
    }
  }

  /** Each kernel of a large module by itself. */
  private static List<String> functions(String text) {
    int first = text.indexOf("\n.visible");
    var parts = List.of(text.substring(first).split("(?=\n\\.visible)"));
    return parts.stream().map(part -> text.substring(0, first) + part).toList();
  }

  private static byte[] bytes(String name) {
    try (var in = PtxSeeds.class.getResourceAsStream("/tilewright/simulator/" + name);
        var plain = name.endsWith(".gz") ? new GZIPInputStream(in) : in) {
      return plain.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All modifiers, types and names of the forms, one after the other. */
  @Override
  public List<String> words() {
    return forms.stream().flatMap(List::stream).map(line -> line.split(" ")[0].replace(";", ""))
        .flatMap(name -> List.of(name.split("\\.")).stream()).distinct().toList();
  }

  /** Each form of a target with each other type of the same width in its name, its results used. */
  Stream<String> withOtherTypes(String target) {
    return forms.get(targets.indexOf(target)).stream().filter(form -> form.contains(" ")).flatMap(form -> {
      int end = form.indexOf(' ');
      var name = List.of(form.substring(0, end).split("\\."));
      return IntStream.range(1, name.size()).boxed().flatMap(at -> SAME_WIDTH.stream()
          .filter(types -> types.contains(name.get(at))).flatMap(List::stream)
          .filter(type -> !type.equals(name.get(at)))
          .map(type -> {
            var other = new ArrayList<>(name);
            other.set(at, type);
            return String.join(".", other) + form.substring(end);
          }));
    }).distinct().map(instruction -> HEAD.formatted(target) + instruction + "\n" + USES + "END:\nret;\n}\n");
  }

  @Override
  public String next(SplittableRandom random) {
    if (random.nextInt(4) == 0) return modules.get(random.nextInt(modules.size()));
    int target = random.nextInt(targets.size());
    var body = new StringBuilder(HEAD.formatted(targets.get(target)));
    for (int n = 1 + random.nextInt(4); n > 0; n--) {
      // What sm_90a accepts includes what sm_80 does.
      var list = random.nextInt(5) == 0 ? PLAIN : forms.get(random.nextInt(target + 1));
      body.append(list.get(random.nextInt(list.size()))).append('\n');
    }
    if (random.nextBoolean()) body.append(USES);
    return body.append("END:\nret;\n}\n").toString();
  }
}
