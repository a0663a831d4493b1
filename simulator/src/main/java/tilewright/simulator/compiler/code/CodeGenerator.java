package tilewright.simulator.compiler.code;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDescs;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.simulator.UnsupportedPtxException.Problem;
import tilewright.simulator.core.BlockCode;
import tilewright.simulator.core.Site;

/**
 * Generates a kernel's class: a static method a basic block, cut into parts small enough for HotSpot's compilers, which
 * leave methods of more than 8000 bytecodes to the interpreter.
 */
public final class CodeGenerator {
  private static final ClassDesc SELF = ClassDesc.of("tilewright.simulator.core.CompiledKernel");
  private static final ClassDesc INTERFACE = ClassDesc.ofDescriptor(BlockCode.class.descriptorString());
  private static final MethodTypeDesc BLOCK =
      MethodTypeDesc.of(ConstantDescs.CD_int, LaneCode.WARP, ConstantDescs.CD_int);
  private static final MethodTypeDesc PART =
      MethodTypeDesc.of(ConstantDescs.CD_void, LaneCode.WARP, ConstantDescs.CD_int);
  private static final MethodTypeDesc EXECUTE =
      MethodTypeDesc.of(ConstantDescs.CD_int, ConstantDescs.CD_int, LaneCode.WARP, ConstantDescs.CD_int);
  private static final int PART_BYTES = 5000;
  private static final int CASES = 256;
  /** A class has at most 65535 constants, and each block takes a few; a multiple of {@link #CASES}. */
  public static final int BLOCKS_OF_CLASS = 4096;
  private static final int STATIC = ClassFile.ACC_STATIC | ClassFile.ACC_PRIVATE;

  private final List<BasicBlock> blocks;
  private final int base;
  private final Map<BasicBlock, List<Unit>> units;
  private final List<Site> sites;
  private final List<Problem> problems;
  private final Runnable check;

  /** @param base the number of the first of these blocks, a multiple of {@link #BLOCKS_OF_CLASS} */
  public CodeGenerator(List<BasicBlock> blocks, int base, Map<BasicBlock, List<Unit>> units, List<Site> sites,
      List<Problem> problems, Runnable check) {
    this.blocks = blocks;
    this.base = base;
    this.units = units;
    this.sites = sites;
    this.problems = problems;
    this.check = check;
  }

  /** The class file; empty when an operation's operands do not fit, which is then among the problems. */
  public Optional<byte[]> generate() {
    try {
      var bytes = build();
      return problems.isEmpty() ? Optional.of(bytes) : Optional.empty();
    } catch (IllegalArgumentException e) {
      // An operation that was given up half way leaves code that cannot be assembled.
      if (!problems.isEmpty()) return Optional.empty();
      if (String.valueOf(e.getMessage()).contains("is not a valid index")) {
        throw new TooLarge("its code has more constants than the 65535 of a class: make several kernels of it");
      }
      throw e;
    }
  }

  private byte[] build() {
    return ClassFile.of().build(SELF, b -> {
      b.withInterfaceSymbols(INTERFACE);
      b.withMethodBody(ConstantDescs.INIT_NAME, ConstantDescs.MTD_void, ClassFile.ACC_PUBLIC,
          c -> c.aload(0).invokespecial(ConstantDescs.CD_Object, ConstantDescs.INIT_NAME,
              ConstantDescs.MTD_void).return_());
      for (var block : blocks) {
        check.run();
        block(b, block);
      }
      dispatch(b);
    });
  }

  private void block(ClassBuilder b, BasicBlock block) {
    var parts = parts(units.get(block));
    for (int k = 0; k < parts.size() - 1; k++) {
      var part = parts.get(k);
      b.withMethodBody("block" + block.number + "part" + k, PART, STATIC, c -> {
        for (var unit : part) emit(c, unit);
        c.return_();
      });
    }
    b.withMethodBody("block" + block.number, BLOCK, STATIC, c -> {
      for (int k = 0; k < parts.size() - 1; k++) {
        c.aload(0).iload(1).invokestatic(SELF, "block" + block.number + "part" + k, PART);
      }
      for (var unit : parts.getLast()) emit(c, unit);
      leave(c, block);
    });
  }

  private static List<List<Unit>> parts(List<Unit> units) {
    var parts = new ArrayList<List<Unit>>();
    var part = new ArrayList<Unit>();
    int size = 0;
    for (var unit : units) {
      if (size + unit.size() > PART_BYTES && !part.isEmpty()) {
        parts.add(List.copyOf(part));
        part.clear();
        size = 0;
      }
      part.add(unit);
      size += unit.size();
    }
    parts.add(part);
    return parts;
  }

  private void emit(CodeBuilder c, Unit unit) {
    switch (unit) {
      case Unit.Call(var op) -> CallCode.emit(c, op);
      case Unit.Loop loop -> LoopCode.emit(c, loop, (op, e) -> {
        var site = sites.get(op.site());
        var problem = new Problem(site.line(), site.text(), e.getMessage());
        if (!problems.contains(problem)) problems.add(problem);
      });
    }
  }

  private static void leave(CodeBuilder c, BasicBlock block) {
    switch (block.terminator) {
      case Terminator.Branch(var guard, var _) -> {
        CallCode.predicate(c, guard);
        c.ireturn();
      }
      // The last call's result says whether to wait.
      case Terminator.Suspend _, Terminator.Retry _ -> c.ireturn();
      default -> c.iconst_0().ireturn();
    }
  }

  private void dispatch(ClassBuilder b) {
    int first = base / CASES;
    int end = first + (blocks.size() + CASES - 1) / CASES;
    if (end == first + 1) {
      b.withMethodBody("execute", EXECUTE, ClassFile.ACC_PUBLIC, c -> cases(c, 1, first));
      return;
    }
    for (int g = first; g < end; g++) {
      int group = g;
      b.withMethodBody("dispatch" + g, EXECUTE, STATIC, c -> cases(c, 0, group));
    }
    b.withMethodBody("execute", EXECUTE, ClassFile.ACC_PUBLIC, c -> {
      var fail = c.newLabel();
      var cases = new ArrayList<SwitchCase>();
      for (int g = first; g < end; g++) cases.add(SwitchCase.of(g, c.newLabel()));
      c.iload(1).loadConstant(CASES).idiv().tableswitch(first, end - 1, fail, cases);
      for (int g = first; g < end; g++) {
        c.labelBinding(cases.get(g - first).target());
        c.iload(1).aload(2).iload(3).invokestatic(SELF, "dispatch" + g, EXECUTE).ireturn();
      }
      c.labelBinding(fail).iconst_0().ireturn();
    });
  }

  private void cases(CodeBuilder c, int first, int group) {
    int from = group * CASES;
    int to = Math.min(base + blocks.size(), from + CASES);
    var fail = c.newLabel();
    var cases = new ArrayList<SwitchCase>();
    for (int n = from; n < to; n++) cases.add(SwitchCase.of(n, c.newLabel()));
    c.iload(first).tableswitch(from, to - 1, fail, cases);
    for (int n = from; n < to; n++) {
      c.labelBinding(cases.get(n - from).target());
      c.aload(first + 1).iload(first + 2).invokestatic(SELF, "block" + n, BLOCK).ireturn();
    }
    c.labelBinding(fail).iconst_0().ireturn();
  }
}
