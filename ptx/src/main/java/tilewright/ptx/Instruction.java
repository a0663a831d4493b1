package tilewright.ptx;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One instruction: {@code @!%p1 ld.global.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1+16];}.
 *
 * @param guard the predicate in front, if any
 * @param opcode the base mnemonic, such as {@code ld}
 * @param modifiers what follows it, without dots, in order: {@code global, v4, f32}; {@code shared::cluster} is one
 * @param operands in order
 * @param line where it was read, 0 when it was not; no part of the value
 */
public record Instruction(Optional<Guard> guard, String opcode, List<String> modifiers, List<Operand> operands,
    int line) implements Statement {
  public Instruction {
    modifiers = List.copyOf(modifiers);
    operands = List.copyOf(operands);
  }

  /** An unguarded instruction from its dotted name, such as {@code mad.lo.s32}. */
  public static Instruction of(String name, Operand... operands) {
    return of(name, List.of(operands));
  }

  public static Instruction of(String name, List<? extends Operand> operands) {
    var parts = List.of(name.split("\\."));
    var modifiers = parts.subList(1, parts.size());
    return new Instruction(Optional.empty(), parts.getFirst(), modifiers, List.copyOf(operands), 0);
  }

  public Instruction guardedBy(Guard guard) {
    return new Instruction(Optional.of(guard), opcode, modifiers, operands, line);
  }

  /** The dotted name, such as {@code mad.lo.s32}. */
  public String name() {
    return modifiers.isEmpty() ? opcode : opcode + "." + String.join(".", modifiers);
  }

  public boolean has(String modifier) {
    return modifiers.contains(modifier);
  }

  /** The last modifier that is a type: for most instructions, the type they work on. */
  public Optional<PtxType> type() {
    return modifiers.reversed().stream().map(PtxType::parse).flatMap(Optional::stream).findFirst();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Instruction i && guard.equals(i.guard) && opcode.equals(i.opcode)
        && modifiers.equals(i.modifiers) && operands.equals(i.operands);
  }

  @Override
  public int hashCode() {
    return Objects.hash(guard, opcode, modifiers, operands);
  }

  /** {@code @p} or {@code @!p}. */
  public record Guard(String predicate, boolean negated) {}
}
