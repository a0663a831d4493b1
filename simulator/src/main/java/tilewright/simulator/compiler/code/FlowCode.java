package tilewright.simulator.compiler.code;

import java.lang.classfile.CodeBuilder;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.BitSet;
import java.util.Map;
import tilewright.ptx.PtxType;
import tilewright.simulator.core.UndefinedFlow;

/** Emits, before an operation of one lane, what it does with bits that nobody has written: see {@link Flow}. */
final class FlowCode {
  private static final ClassDesc OWNER = ClassDesc.ofDescriptor(UndefinedFlow.class.descriptorString());
  private static final ClassDesc I = ConstantDescs.CD_int;
  private static final ClassDesc J = ConstantDescs.CD_long;
  private static final ClassDesc V = ConstantDescs.CD_void;
  private static final int NONE = -1;

  private final CodeBuilder b;
  private final LaneCode values;
  private final Map<Reg, Integer> locals;
  private final int lane;
  private final int following;
  private final BitSet reached;

  /**
   * @param following the local that says whether the lane has undefined bits
   * @param reached numbers of the registers that may have any
   */
  FlowCode(CodeBuilder b, LaneCode values, Map<Reg, Integer> locals, int lane, int following, BitSet reached) {
    this.b = b;
    this.values = values;
    this.locals = locals;
    this.lane = lane;
    this.following = following;
    this.reached = reached;
  }

  void emit(Op.Lane op) {
    var to = op.writes().stream().filter(this::isReached).toList();
    if (to.isEmpty()) return;
    var done = b.newLabel();
    b.iload(following).ifeq(done);
    if (op.guard().isPresent()) {
      var guard = op.guard().get();
      if (isReached(guard.predicate())) {
        // Whether it happens is undefined, and so is the result.
        var known = b.newLabel();
        begin();
        take("take", guard.predicate());
        b.aload(0).invokestatic(OWNER, "any", MethodTypeDesc.of(ConstantDescs.CD_boolean, LaneCode.WARP)).ifeq(known);
        for (var r : to) give(r, Long.SIZE);
        b.goto_(done).labelBinding(known);
      }
      b.iload(locals.get(guard.predicate()));
      if (guard.negated()) {
        b.ifne(done);
      } else {
        b.ifeq(done);
      }
    }
    begin();
    switch (op.flow()) {
      case Flow.Mixed(int part) -> {
        op.reads().stream().filter(this::isReached).forEach(r -> take("take", r));
        for (var r : to) give(r, part);
      }
      case Flow.Moved moved -> {
        op.reads().stream().filter(this::isReached).forEach(r -> take("take", r));
        for (var s : moved.by()) s.reads().stream().filter(this::isReached).forEach(r -> take("steer", r));
        op.body().emit(new UndefinedCode(moved));
      }
      case Flow.Logic logic -> {
        for (var input : logic.inputs()) input(input, to.getFirst());
        warpLane();
        b.loadConstant(to.getFirst().id).loadConstant(width(to.getFirst())).loadConstant(logic.table());
        b.invokestatic(OWNER, "logic", MethodTypeDesc.of(V, LaneCode.WARP, I, I, I, I));
      }
    }
    b.labelBinding(done);
  }

  private boolean isReached(Reg r) {
    return reached.get(r.id);
  }

  private static int width(Reg r) {
    return r.kind == Reg.Kind.PREDICATE ? 1 : r.type.bits();
  }

  private void warpLane() {
    b.aload(0).iload(lane);
  }

  private void begin() {
    b.aload(0).invokestatic(OWNER, "begin", MethodTypeDesc.of(V, LaneCode.WARP));
  }

  private void take(String method, Reg from) {
    warpLane();
    b.loadConstant(from.id).invokestatic(OWNER, method, MethodTypeDesc.of(V, LaneCode.WARP, I, I));
  }

  private void give(Reg to, int part) {
    warpLane();
    b.loadConstant(to.id).loadConstant(width(to)).loadConstant(part);
    b.invokestatic(OWNER, "give", MethodTypeDesc.of(V, LaneCode.WARP, I, I, I, I));
  }

  private void input(Flow.Input input, Reg to) {
    boolean spread = input.type() == PtxType.PRED && to.kind != Reg.Kind.PREDICATE;
    values.push(input.source(), input.type());
    if (spread) b.ineg();
    widen(Reg.kindOf(input.type()));
    warpLane();
    b.loadConstant(input.source().reads().stream().filter(this::isReached).map(r -> r.id).findFirst().orElse(NONE));
    b.invokestatic(OWNER, spread ? "condition" : "operand", MethodTypeDesc.of(V, J, LaneCode.WARP, I, I));
  }

  /** Makes the bits on the stack a long. */
  private void widen(Reg.Kind kind) {
    switch (kind) {
      case INT, PREDICATE -> b.i2l();
      case FLOAT -> b.invokestatic(ConstantDescs.CD_Float, "floatToRawIntBits",
          MethodTypeDesc.of(I, ConstantDescs.CD_float)).i2l();
      case LONG -> {}
      case DOUBLE -> b.invokestatic(ConstantDescs.CD_Double, "doubleToRawLongBits",
          MethodTypeDesc.of(J, ConstantDescs.CD_double));
    }
  }

  /** Stands for the lane's code where registers hold their undefined bits instead of values. */
  private final class UndefinedCode extends LaneCode {
    private final Flow.Moved flow;

    UndefinedCode(Flow.Moved flow) {
      super(FlowCode.this.b, locals, lane);
      this.flow = flow;
    }

    @Override
    public LaneCode push(Source source, PtxType type) {
      if (flow.by().stream().anyMatch(s -> s == source)) {
        values.push(source, type);
      } else if (source instanceof Source.Register) {
        super.push(source, type);
      } else {
        zero(Reg.kindOf(type));
      }
      return this;
    }

    @Override
    void get(Reg reg) {
      if (!isReached(reg)) {
        zero(reg.kind);
        return;
      }
      warpLane();
      b.loadConstant(reg.id).invokestatic(OWNER, "bits", MethodTypeDesc.of(J, LaneCode.WARP, I, I));
      switch (reg.kind) {
        case INT, PREDICATE -> b.l2i();
        case FLOAT -> b.l2i().invokestatic(ConstantDescs.CD_Float, "intBitsToFloat",
            MethodTypeDesc.of(ConstantDescs.CD_float, I));
        case LONG -> {}
        case DOUBLE -> b.invokestatic(ConstantDescs.CD_Double, "longBitsToDouble",
            MethodTypeDesc.of(ConstantDescs.CD_double, J));
      }
    }

    @Override
    void set(Reg reg) {
      widen(reg.kind);
      warpLane();
      b.loadConstant(reg.id).loadConstant(width(reg));
      b.invokestatic(OWNER, "become", MethodTypeDesc.of(V, J, LaneCode.WARP, I, I, I));
    }

    private void zero(Reg.Kind kind) {
      switch (kind) {
        case INT, PREDICATE -> b.iconst_0();
        case FLOAT -> b.fconst_0();
        case LONG -> b.lconst_0();
        case DOUBLE -> b.dconst_0();
      }
    }
  }
}
