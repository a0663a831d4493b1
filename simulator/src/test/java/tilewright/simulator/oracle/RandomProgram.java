package tilewright.simulator.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import tilewright.simulator.oracle.Forms.Form;

/**
 * A well-formed kernel {@code k(in, out)} from a seed, by lines. Each thread loads its registers from its slot of
 * {@code in}, computes and leaves all registers in its slot of {@code out}. Instructions that need other threads stand
 * where all threads come by; loops have few turns; memory is touched in the thread's own slots, in shared memory also
 * in a neighbour's between barriers.
 */
final class RandomProgram {
  static final int THREADS = 64;
  private static final List<Form> FORMS = Forms.all().stream()
      .filter(f -> Oracle.defines(f.opcode(), f.modifiers()) && !f.opcode().equals("testp"))
      // What the bits of a double NaN are is tested with each form, not through whole programs.
      .filter(f -> !f.text().contains("f64")).toList();

  private final Random random;
  private final List<String> lines = new ArrayList<>();
  private int labels;

  private RandomProgram(long seed) {
    random = new Random(seed);
  }

  /** The statements between a program's prologue and epilogue. */
  static List<String> body(long seed) {
    var program = new RandomProgram(seed);
    int statements = 10 + program.random.nextInt(40);
    while (program.lines.size() < statements) program.statement(0, true);
    return program.lines;
  }

  /** Bytes of a thread's slot in both buffers: its registers, then as much again to load and store. */
  static int slotBytes() {
    return 2 * registerBytes();
  }

  private static int registerBytes() {
    return Bank.values().length * Bank.COUNT * Long.BYTES;
  }

  /** The whole module around a body. */
  static String ptx(List<String> body) {
    var load = new StringBuilder();
    var store = new StringBuilder();
    for (var bank : Bank.values()) {
      for (int i = 0; i < Bank.COUNT; i++) {
        int offset = (bank.ordinal() * Bank.COUNT + i) * Long.BYTES;
        if (bank == Bank.PREDICATE) {
          load.append("  ld.global.b32 %%s, [%%in+%d];\n  setp.lt.s32 %%p%d, %%s, 0;\n".formatted(offset, i));
          store.append("  selp.b32 %%s, 1, 0, %%p%d;\n  st.global.b32 [%%out+%d], %%s;\n".formatted(i, offset));
        } else {
          load.append("  ld.global.%s %s, [%%in+%d];\n".formatted(bank.type, bank.register(i), offset));
          store.append("  st.global.%s [%%out+%d], %s;\n".formatted(bank.type, offset, bank.register(i)));
        }
      }
    }
    return """
        .version 8.8
        .target sm_100a
        .address_size 64
        .func (.param .b32 y) twice(.param .b32 a, .param .b32 b)
        {
          .reg .b32 %%u<3>;
          .reg .pred %%q;
          ld.param.b32 %%u0, [a];
          ld.param.b32 %%u1, [b];
          setp.gt.s32 %%q, %%u0, %%u1;
          @%%q add.s32 %%u0, %%u0, %%u0;
          xor.b32 %%u2, %%u0, %%u1;
          st.param.b32 [y], %%u2;
          ret;
        }
        .visible .entry k(.param .u64 in, .param .u64 out)
        {
          .shared .align 16 .b8 tile[%d];
          .reg .b16 %%h<%d>;
          .reg .b32 %%r<%d>;
          .reg .b64 %%l<%d>;
          .reg .f32 %%f<%d>;
          .reg .f64 %%d<%d>;
          .reg .pred %%p<%d>;
          .reg .b32 %%s, %%me, %%mine, %%other, %%turn<4>;
          .reg .b64 %%in, %%out, %%wide;
          ld.param.u64 %%in, [in];
          ld.param.u64 %%out, [out];
          mov.u32 %%me, %%tid.x;
          mul.wide.u32 %%wide, %%me, %d;
          add.s64 %%in, %%in, %%wide;
          add.s64 %%out, %%out, %%wide;
        %s%s%s  ret;
        }
        """.formatted(THREADS * 16, Bank.COUNT, Bank.COUNT, Bank.COUNT, Bank.COUNT, Bank.COUNT, Bank.COUNT,
        slotBytes(), load, body.stream().map(line -> "  " + line + "\n").collect(Collectors.joining()), store);
  }

  /** Registers of one kind. */
  private enum Bank {
    HALF("b16", "h"), WORD("b32", "r"), LONG("b64", "l"), SINGLE("f32", "f"), DOUBLE("f64", "d"),
    PREDICATE("pred", "p");

    static final int COUNT = 6;
    final String type;
    final String prefix;

    Bank(String type, String prefix) {
      this.type = type;
      this.prefix = prefix;
    }

    String register(int i) {
      return "%" + prefix + i;
    }
  }

  private String any(Bank bank) {
    return bank.register(random.nextInt(Bank.COUNT));
  }

  private String any(OperandType type) {
    return any(switch (type) {
      case U16, F16, BF16 -> Bank.HALF;
      case U32, F16X2, BF16X2, U16X2 -> Bank.WORD;
      case F32 -> random.nextBoolean() ? Bank.SINGLE : Bank.WORD;
      case U64, F32X2 -> Bank.LONG;
      case F64 -> Bank.DOUBLE;
    });
  }

  private String pick(String... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private void line(String text, Object... arguments) {
    lines.add(text.formatted(arguments));
  }

  private String guard() {
    return switch (random.nextInt(8)) {
      case 0 -> "@" + any(Bank.PREDICATE) + " ";
      case 1 -> "@!" + any(Bank.PREDICATE) + " ";
      default -> "";
    };
  }

  private void statement(int depth, boolean together) {
    switch (random.nextInt(20)) {
      case 0, 1 -> compare();
      case 2 -> predicateLogic();
      case 3 -> pack();
      case 4 -> select();
      case 5, 6 -> globalAccess();
      case 7 -> branch(depth);
      case 8 -> loop(depth, together);
      case 9 -> doubles();
      case 10 -> call();
      case 11 -> {
        if (together) exchange();
      }
      case 12 -> {
        if (together) shuffle();
      }
      case 13 -> line("%slop3.b32 %s, %s, %s, %s, %d;", guard(), any(Bank.WORD), any(Bank.WORD), any(Bank.WORD),
          any(Bank.WORD), random.nextInt(256));
      default -> form();
    }
  }

  private void form() {
    var form = FORMS.get(random.nextInt(FORMS.size()));
    var text = form.text().replace("$d", any(form.result()));
    for (int i = 0; i < form.operands().size(); i++) {
      var type = form.operands().get(i);
      boolean constant = type == OperandType.U32 && i > 0 && random.nextInt(4) == 0;
      text = text.replace("$" + "abc".charAt(i), constant ? "" + random.nextInt(-40, 70) : any(type));
    }
    lines.add(guard() + text + ";");
  }

  private void compare() {
    var type = pick("s32", "u32", "f32", "s64", "u64", "s16", "u16", "f16", "f64");
    var bank = switch (type) {
      case "f32" -> Bank.SINGLE;
      case "f64" -> Bank.DOUBLE;
      default -> type.endsWith("64") ? Bank.LONG : type.endsWith("16") ? Bank.HALF : Bank.WORD;
    };
    var operator = type.startsWith("f") ? pick("eq", "ne", "lt", "le", "gt", "ge", "equ", "ltu", "geu", "num", "nan")
        : pick("eq", "ne", "lt", "le", "gt", "ge");
    int pair = random.nextInt(Bank.COUNT - 1);
    boolean two = random.nextInt(4) == 0;
    var to = two ? "%p" + pair + "|%p" + (pair + 1) : any(Bank.PREDICATE);
    boolean joined = random.nextInt(3) == 0;
    line("%ssetp.%s%s.%s %s, %s, %s%s;", guard(), operator, joined ? pick(".and", ".or", ".xor") : "", type, to,
        any(bank), any(bank), joined ? ", " + pick("", "!") + any(Bank.PREDICATE) : "");
  }

  private void predicateLogic() {
    if (random.nextInt(3) == 0) line("%snot.pred %s, %s;", guard(), any(Bank.PREDICATE), any(Bank.PREDICATE));
    else line("%s%s.pred %s, %s, %s;", guard(), pick("and", "or", "xor"), any(Bank.PREDICATE), any(Bank.PREDICATE),
        any(Bank.PREDICATE));
  }

  private void pack() {
    switch (random.nextInt(7)) {
      case 0 -> line("%smov.b64 %s, {%s, %s};", guard(), any(Bank.LONG), any(Bank.WORD), any(Bank.WORD));
      case 1 -> line("%smov.b64 {%s, %s}, %s;", guard(), "%r0", "%r" + (1 + random.nextInt(5)), any(Bank.LONG));
      case 2 -> line("%smov.b32 %s, {%s, %s};", guard(), any(Bank.WORD), any(Bank.HALF), any(Bank.HALF));
      case 3 -> line("%smov.b32 {%s, %s}, %s;", guard(), "%h0", "%h" + (1 + random.nextInt(5)), any(Bank.WORD));
      case 4 -> line("%smov.b32 %s, %s;", guard(), any(Bank.WORD), any(Bank.SINGLE));
      case 5 -> line("%smov.b32 %s, %s;", guard(), any(Bank.SINGLE), any(Bank.WORD));
      default -> line("%smov.u32 %s, %d;", guard(), any(Bank.WORD), random.nextInt());
    }
  }

  private void select() {
    var bank = Bank.values()[random.nextInt(5)];
    line("%sselp.%s %s, %s, %s, %s;", guard(), bank.type, any(bank), any(bank), any(bank), any(Bank.PREDICATE));
  }

  /** Finite numbers only: see {@link #FORMS}. */
  private void doubles() {
    switch (random.nextInt(3)) {
      case 0 -> line("%scvt%s.f64.%s %s, %s;", guard(), pick(".rn", ".rz", ".rm", ".rp"), pick("s64", "u64"),
          any(Bank.DOUBLE), any(Bank.LONG));
      case 1 -> line("%scvt%s.%s.f64 %s, %s;", guard(), pick(".rni", ".rzi", ".rmi", ".rpi"), pick("s64", "u64"),
          any(Bank.LONG), any(Bank.DOUBLE));
      default -> {
        line("cvt.rn.f64.s32 %%d0, %s;", any(Bank.WORD));
        line("cvt.rn.f64.u32 %%d1, %s;", any(Bank.WORD));
        line("fma%s.f64 %s, %%d0, %%d1, %%d1;", pick(".rn", ".rz", ".rm", ".rp"), any(Bank.DOUBLE));
        line("%s%s.f64 %s, %%d1, %%d0;", pick("add", "sub", "mul"), pick(".rn", ".rz", ".rm", ".rp"), any(Bank.DOUBLE));
      }
    }
  }

  private int own(int bytes) {
    return registerBytes() + bytes * random.nextInt(64 / bytes);
  }

  private void globalAccess() {
    var bank = Bank.values()[random.nextInt(5)];
    int vector = random.nextInt(4) == 0 ? pickInt(2, bank == Bank.LONG || bank == Bank.DOUBLE ? 2 : 4) : 1;
    int bits = Integer.parseInt(bank.type.substring(1));
    if (bank == Bank.WORD && vector == 1 && random.nextBoolean()) {
      var narrow = pick("u8", "s8", "u16", "s16");
      int bytes = narrow.endsWith("8") ? 1 : 2;
      if (random.nextBoolean()) line("%sld.global.%s %s, [%%out+%d];", guard(), narrow, any(bank), own(bytes));
      else line("%sst.global.%s [%%out+%d], %s;", guard(), narrow, own(bytes), any(bank));
      return;
    }
    int first = random.nextInt(Bank.COUNT - vector + 1);
    var registers = vector == 1 ? bank.register(first)
        : IntStream.range(first, first + vector).mapToObj(bank::register).collect(Collectors.joining(", ", "{", "}"));
    var name = "global" + (vector == 1 ? "" : ".v" + vector) + "." + bank.type;
    if (random.nextBoolean() && bank != Bank.DOUBLE) {
      line("%sld.%s %s, [%%out+%d];", guard(), name, registers, own(vector * bits / 8));
    } else {
      line("%sst.%s [%%out+%d], %s;", guard(), name, own(vector * bits / 8), registers);
    }
  }

  private int pickInt(int a, int b) {
    return random.nextBoolean() ? a : b;
  }

  private String newLabel() {
    return "L" + labels++;
  }

  private void block(int depth, int most, boolean together) {
    for (int n = 1 + random.nextInt(most); n > 0; n--) statement(depth + 1, together);
  }

  private void branch(int depth) {
    if (depth == 3) return;
    var otherwise = newLabel();
    var end = newLabel();
    line("@%s%s bra %s;", pick("", "!"), any(Bank.PREDICATE), otherwise);
    block(depth, 5, false);
    boolean both = random.nextBoolean();
    if (both) line("bra %s;", end);
    line("%s:", otherwise);
    if (both) {
      block(depth, 5, false);
      line("%s:", end);
    }
  }

  /** One to four turns: as many for all threads, or for each its own number. */
  private void loop(int depth, boolean together) {
    if (depth == 3) return;
    boolean same = random.nextBoolean();
    var again = newLabel();
    if (same) line("mov.u32 %%turn%d, %d;", depth, 1 + random.nextInt(3));
    else line("and.b32 %%turn%d, %s, 3;", depth, any(Bank.WORD));
    line("%s:", again);
    block(depth, 5, together && same);
    line("sub.s32 %%turn%d, %%turn%d, 1;", depth, depth);
    line("setp.gt.s32 %%p5, %%turn%d, 0;", depth);
    line("@%%p5 bra %s;", again);
  }

  private void call() {
    lines.add("{ .param .b32 a0; .param .b32 b0; .param .b32 y0; st.param.b32 [a0], %s; st.param.b32 [b0], %s; "
        .formatted(any(Bank.WORD), any(Bank.WORD)) + "call (y0), twice, (a0, b0); ld.param.b32 %s, [y0]; }"
        .formatted(any(Bank.WORD)));
  }

  /** Each thread writes its place in shared memory and, after a barrier, reads another's. */
  private void exchange() {
    line("mov.u32 %%mine, tile;");
    line("mad.lo.u32 %%other, %%me, 16, %%mine;");
    line("st.shared.v2.b32 [%%other], {%s, %s};", any(Bank.WORD), any(Bank.WORD));
    line("st.shared.b64 [%%other+8], %s;", any(Bank.LONG));
    line("bar.sync 0;");
    line("xor.b32 %%s, %%me, %d;", random.nextInt(THREADS));
    line("mad.lo.u32 %%other, %%s, 16, %%mine;");
    line("ld.shared.%s;", pick("b32 %r1, [%other+4]", "v4.b32 {%r0, %r1, %r2, %r3}, [%other]", "s16 %r4, [%other+6]",
        "u8 %r2, [%other+13]", "f32 %f2, [%other]", "b64 %l3, [%other+8]"));
    line("bar.sync 0;");
  }

  private void shuffle() {
    if (random.nextInt(3) == 0) {
      if (random.nextBoolean()) line("vote.sync.ballot.b32 %s, %s, -1;", any(Bank.WORD), any(Bank.PREDICATE));
      else line("vote.sync.%s.pred %s, %s, -1;", pick("any", "all", "uni"), any(Bank.PREDICATE), any(Bank.PREDICATE));
      return;
    }
    var mode = pick("up", "down", "bfly", "idx");
    int segment = pickInt(0, 32 - (1 << random.nextInt(5)));
    int clamp = mode.equals("up") ? 0 : 31;
    var valid = random.nextBoolean() ? "|" + any(Bank.PREDICATE) : "";
    line("shfl.sync.%s.b32 %s%s, %s, %d, %d, -1;", mode, any(Bank.WORD), valid, any(Bank.WORD), random.nextInt(32),
        segment << 8 | clamp);
  }
}
