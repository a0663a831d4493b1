package tilewright.simulator.compiler.code;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.constant.ConstantDescs;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import tilewright.simulator.core.Warp;

/**
 * Emits a loop over the lanes for a run of lane operations, with registers as JVM locals. It is emitted twice: without
 * tests for the usual case that all lanes run, so that the JIT may use vector instructions, and with tests for the
 * rest. Watched code has a third form, for lanes with registers that hold what nobody has written.
 */
final class LoopCode {
  private static final int MASK = 1;

  private final CodeBuilder c;
  private final Unit.Loop loop;
  private final BiConsumer<Op.Lane, Unsupported> problems;
  private final Map<Reg, Integer> arrays = new HashMap<>();

  private LoopCode(CodeBuilder c, Unit.Loop loop, BiConsumer<Op.Lane, Unsupported> problems) {
    this.c = c;
    this.loop = loop;
    this.problems = problems;
  }

  /** @param problems told of operations whose operands do not fit */
  static void emit(CodeBuilder code, Unit.Loop loop, BiConsumer<Op.Lane, Unsupported> problems) {
    code.block(c -> new LoopCode(c, loop, problems).emit());
  }

  private void emit() {
    var outside = new LinkedHashSet<>(loop.loads());
    outside.addAll(loop.stores());
    for (var r : outside) {
      boolean predicate = r.kind == Reg.Kind.PREDICATE;
      int local = c.allocateLocal(predicate ? TypeKind.INT : TypeKind.REFERENCE);
      arrays.put(r, local);
      if (predicate) {
        CallCode.bits(c, r);
        c.istore(local);
      } else {
        CallCode.lanes(c, r);
        c.astore(local);
      }
    }
    var some = c.newLabel();
    var following = c.newLabel();
    var end = c.newLabel();
    if (loop.follows()) {
      c.aload(0).getfield(LaneCode.WARP, "undefined", ConstantDescs.CD_int).iload(MASK).iand().ifne(following);
    }
    c.iload(MASK).iconst_m1().if_icmpne(some);
    c.block(_ -> lanes(false, false));
    c.goto_(end).labelBinding(some);
    c.block(_ -> lanes(true, false));
    if (loop.follows()) {
      c.goto_(end).labelBinding(following);
      c.block(_ -> lanes(true, true));
    }
    c.labelBinding(end);
  }

  private void lanes(boolean masked, boolean following) {
    c.block(b -> {
      var results = new HashMap<Reg, Integer>();
      for (var r : loop.stores()) if (r.kind == Reg.Kind.PREDICATE) results.put(r, startResult(b, r, masked));
      int lane = b.allocateLocal(TypeKind.INT);
      var locals = new HashMap<Reg, Integer>();
      for (var r : loop.loads()) locals.put(r, b.allocateLocal(LaneCode.typeKind(r.kind)));
      for (var op : loop.ops()) {
        for (var r : op.writes()) locals.computeIfAbsent(r, _ -> b.allocateLocal(LaneCode.typeKind(r.kind)));
      }
      var head = b.newLabel();
      var next = b.newLabel();
      b.iconst_0().istore(lane).labelBinding(head);
      if (masked) b.iload(MASK).iload(lane).iushr().iconst_1().iand().ifeq(next);
      for (var r : loop.loads()) load(b, r, lane, locals.get(r));
      var code = new LaneCode(b, locals, lane);
      var flow = following ? Optional.of(new FlowCode(b, code, locals, lane, undefined(b, lane), loop.reached()))
          : Optional.<FlowCode>empty();
      for (var op : loop.ops()) operation(b, code, flow, op, locals);
      for (var r : loop.stores()) store(b, r, lane, locals.get(r), results);
      b.labelBinding(next).iinc(lane, 1).iload(lane).loadConstant(Warp.LANES).if_icmplt(head);
      results.forEach((r, local) -> {
        b.aload(0).getfield(LaneCode.WARP, "p", ConstantDescs.CD_int.arrayType()).loadConstant(r.slot())
            .iload(local).iastore();
      });
    });
  }

  /** Whether the lane has undefined bits, in a local. */
  private static int undefined(CodeBuilder b, int lane) {
    int local = b.allocateLocal(TypeKind.INT);
    b.aload(0).getfield(LaneCode.WARP, "undefined", ConstantDescs.CD_int).iload(lane).iushr().iconst_1().iand();
    b.istore(local);
    return local;
  }

  private int startResult(CodeBuilder b, Reg r, boolean masked) {
    int local = b.allocateLocal(TypeKind.INT);
    if (masked) {
      b.iload(arrays.get(r)).iload(MASK).iconst_m1().ixor().iand();
    } else {
      b.iconst_0();
    }
    b.istore(local);
    return local;
  }

  private void load(CodeBuilder b, Reg r, int lane, int local) {
    if (r.kind == Reg.Kind.PREDICATE) {
      b.iload(arrays.get(r)).iload(lane).iushr().iconst_1().iand().istore(local);
    } else {
      b.aload(arrays.get(r)).iload(lane).with(ArrayLoadInstruction.of(loadOpcode(r.kind)));
      b.storeLocal(LaneCode.typeKind(r.kind), local);
    }
  }

  private void store(CodeBuilder b, Reg r, int lane, int local, Map<Reg, Integer> results) {
    if (r.kind == Reg.Kind.PREDICATE) {
      int result = results.get(r);
      b.iload(local).iload(lane).ishl().iload(result).ior().istore(result);
    } else {
      b.aload(arrays.get(r)).iload(lane).loadLocal(LaneCode.typeKind(r.kind), local);
      b.with(ArrayStoreInstruction.of(storeOpcode(r.kind)));
    }
  }

  private void operation(CodeBuilder b, LaneCode code, Optional<FlowCode> flow, Op.Lane op,
      Map<Reg, Integer> locals) {
    try {
      flow.ifPresent(f -> f.emit(op));
      if (op.guard().isEmpty()) {
        op.body().emit(code);
        return;
      }
      var guard = op.guard().get();
      var skip = b.newLabel();
      b.iload(locals.get(guard.predicate()));
      if (guard.negated()) {
        b.ifne(skip);
      } else {
        b.ifeq(skip);
      }
      op.body().emit(code);
      b.labelBinding(skip);
    } catch (Unsupported e) {
      problems.accept(op, e);
    }
  }

  private static Opcode loadOpcode(Reg.Kind kind) {
    return switch (kind) {
      case FLOAT -> Opcode.FALOAD;
      case LONG -> Opcode.LALOAD;
      case DOUBLE -> Opcode.DALOAD;
      default -> Opcode.IALOAD;
    };
  }

  private static Opcode storeOpcode(Reg.Kind kind) {
    return switch (kind) {
      case FLOAT -> Opcode.FASTORE;
      case LONG -> Opcode.LASTORE;
      case DOUBLE -> Opcode.DASTORE;
      default -> Opcode.IASTORE;
    };
  }
}
