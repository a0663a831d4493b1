package tilewright.kernel;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import tilewright.numerics.ElementType;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;

/** A place in memory that holds an element, and the elements that follow it contiguously. */
public final class Element {
  private final Scope k;
  private final ElementType type;
  private final StateSpace space;
  private final Supplier<Operand.Address> address;
  private final int alignment;
  private final Pred inside;
  private final Optional<Eviction> eviction;

  Element(Scope k, ElementType type, StateSpace space, Supplier<Operand.Address> address, int alignment, Pred inside,
      Optional<Eviction> eviction) {
    this.k = k;
    this.type = type;
    this.space = space;
    this.address = address;
    this.alignment = alignment;
    this.inside = inside;
    this.eviction = eviction;
  }

  public ElementType type() {
    return type;
  }

  /** The operand {@code [register+offset]}. */
  public Operand.Address address() {
    return address.get();
  }

  /** The register with the L2 cache policy of reads, if the tensor's specification has one. */
  public Optional<Operand.Register> policy() {
    return eviction.map(k::reads);
  }

  /** The predicate that the tensor has this element. */
  public Pred inside() {
    return inside;
  }

  /** Reads the element, exactly converted to FP32. */
  public F32 load() {
    return Conversion.toF32(k, type, read(1, Optional.empty()).getFirst());
  }

  /** Writes the element, rounded to nearest even. */
  public void store(F32 value) {
    write(List.of(Conversion.fromF32(k, type, value)), 1, Optional.empty());
  }

  /** Writes two neighbours in one access, rounded to nearest even. */
  public void store(F32 first, F32 second) {
    store(List.of(first, second));
  }

  /** Writes neighbours in one access, rounded to nearest even. */
  public void store(List<F32> values) {
    store(Vector.rounded(k, type, values));
  }

  /** Reads neighbours in one access, exactly converted to FP32. */
  public List<F32> load(int count) {
    return vector(count).values();
  }

  /** Reads neighbours in one access and leaves them as they are. */
  public Vector vector(int count) {
    return new Vector(k, type, count, read(count, Optional.empty()));
  }

  /** Reads neighbours in one access into the registers of {@code values}. */
  public void loadInto(Vector values) {
    read(values.count(), values.registers(), Optional.empty());
  }

  /** Reads neighbours where the condition holds, and has zeros where it does not. */
  public Vector vectorOrZeros(int count, Pred condition) {
    return new Vector(k, type, count, read(count, Optional.of(condition)));
  }

  /** Reads neighbours where the condition holds, else zeros, into the registers of {@code values}. */
  public void loadOrZerosInto(Vector values, Pred condition) {
    read(values.count(), values.registers(), Optional.of(condition));
  }

  /** Reads an integer that is known to lie in 0…{@code max}. */
  public I32 loadInteger(long max) {
    return k.result(read(1, Optional.empty()).getFirst(), max);
  }

  /** Reads any 32-bit integer. */
  public I32 loadInteger() {
    return vector(1).integers().getFirst();
  }

  /** Writes neighbours in one access, bits unchanged. */
  public void store(Vector values) {
    write(values.registers(), values.count(), Optional.empty());
  }

  /** Writes a 32-bit integer. */
  public void store(I32 value) {
    write(List.of(value.register()), 1, Optional.empty());
  }

  /** Adds to an FP32 number, atomically. */
  public void atomicAdd(F32 value) {
    k.emit("red." + space.text() + ".add.f32", address(), value.register());
  }

  /** Adds to two or four neighbouring FP32 numbers in one access, each atomically (SM90). */
  public void atomicAdd(List<F32> values) {
    requireAligned(values.size());
    k.needsPtx("8.1");
    k.emit("red." + space.text() + ".add.v" + values.size() + ".f32", address(),
        new Operand.Vector(values.stream().<Operand>map(F32::register).toList()));
  }

  /** Raises an FP32 number to another where that is larger, atomically; a NaN stays. */
  public void atomicMax(F32 value) {
    // FP32 numbers of one sign are ordered like their bits, those below zero backwards; PTX has no maximum of FP32.
    var bits = k.newRegister(PtxType.B32);
    var negative = k.newRegister(PtxType.PRED);
    k.emit("mov.b32", bits, value.register());
    k.emit("setp.lt.s32", negative, bits, new Operand.Integer(0));
    var place = address();
    k.when(k.predicate(negative), () -> k.emit("red." + space.text() + ".min.u32", place, bits),
        () -> k.emit("red." + space.text() + ".max.s32", place, bits));
  }

  /** Adds to a 32-bit integer, atomically. */
  public void atomicAdd(I32 value) {
    k.emit("red." + space.text() + ".add.s32", address(), value.operand());
  }

  /**
   * Draws the next of so many tickets, counted from 0; after the last comes 0 again. Publishes what this thread wrote
   * before and makes visible what earlier drawers published.
   */
  public I32 drawTicket(int tickets) {
    return drawTicket("acq_rel", k.constant(tickets), tickets - 1);
  }

  /** Draws the next of at most {@code most} tickets, counted from 0, and publishes nothing. */
  public I32 drawTicket(I32 tickets, int most) {
    return drawTicket("relaxed", tickets, most - 1);
  }

  private I32 drawTicket(String order, I32 tickets, int last) {
    var drawn = k.newRegister(PtxType.B32);
    k.emit("atom." + order + ".gpu.global.inc.u32", drawn, address(), tickets.plus(-1).operand());
    return k.result(drawn, last);
  }

  /** Draws the next of so many tickets like {@link #drawTicket}, but neither publishes nor makes visible anything. */
  public I32 drawNext(I32 tickets) {
    var drawn = k.newRegister(PtxType.B32);
    k.emit("atom.relaxed.gpu.global.inc.u32", drawn, address(), tickets.minus(k.constant(1)).operand());
    return k.result(drawn, Integer.MAX_VALUE);
  }

  /** Reads a 32-bit integer that others change atomically; nothing that they published becomes visible. */
  public I32 present() {
    var seen = k.newRegister(PtxType.B32);
    k.emit("ld.relaxed.gpu.global.b32", seen, address());
    return k.result(seen, Integer.MAX_VALUE);
  }

  /** Waits until a 32-bit integer is at least so much, and makes visible what was published before it became that. */
  public void await(int least) {
    k.repeatUntil(() -> {
      var seen = k.newRegister(PtxType.B32);
      k.emit("ld.acquire.gpu.global.b32", seen, address());
      return k.result(seen, Integer.MAX_VALUE).atLeast(least);
    });
  }

  /** Like {@link #await(int)}, for a number that only the launch knows. */
  public void await(I32 least) {
    k.repeatUntil(() -> {
      var seen = k.newRegister(PtxType.B32);
      k.emit("ld.acquire.gpu.global.b32", seen, address());
      return k.result(seen, Integer.MAX_VALUE).lessThan(least).not();
    });
  }

  /**
   * Adds to a 32-bit integer, atomically, and publishes what this thread wrote before, and what others wrote before a
   * barrier with it.
   */
  public void release(int count) {
    k.emit("red.release.gpu." + space.text() + ".add.s32", address(), new Operand.Integer(count));
  }

  /** Moves {@code count} neighbours to another place, bits unchanged, in one access each. */
  public void copyTo(Element other, int count, Optional<Pred> condition) {
    other.write(read(count, condition), count, condition);
  }

  /** Like {@link #copyTo}, but writes zero where the condition does not hold. */
  public void copyOrZero(Element other, Pred condition) {
    other.write(read(1, Optional.of(condition)), 1, Optional.empty());
  }

  private List<Operand.Register> read(int count, Optional<Pred> condition) {
    var registers = registers(k, type, count);
    read(count, registers, condition);
    return registers;
  }

  private void read(int count, List<Operand.Register> registers, Optional<Pred> condition) {
    requireAligned(count);
    var access = Access.of(type, count);
    if (condition.isPresent()) {
      registers.forEach(register -> k.emit("mov." + move(access.piece()), register, zero(access.piece())));
    }
    var name = "ld." + space.text() + (eviction.isPresent() ? ".L1::no_allocate.L2::cache_hint" : "") + access.suffix();
    var operands = new ArrayList<Operand>(List.of(access.operand(registers), address()));
    policy().ifPresent(operands::add);
    k.emit(condition, name, operands.toArray(Operand[]::new));
  }

  /** Fresh registers for so many neighbours. */
  static List<Operand.Register> registers(Scope k, ElementType type, int count) {
    var access = Access.of(type, count);
    return Stream.generate(() -> k.newRegister(access.piece())).limit(access.pieces()).toList();
  }

  private void write(List<Operand.Register> pieces, int count, Optional<Pred> condition) {
    requireAligned(count);
    var access = Access.of(type, count);
    k.emit(condition, "st." + space.text() + access.suffix(), address(), access.operand(pieces));
  }

  private static String move(PtxType piece) {
    // Bytes live in registers of 16 bits, and mov has no smaller type.
    return piece == PtxType.F32 ? "f32" : piece.bits() == 8 ? "b16" : piece.text();
  }

  private static Operand zero(PtxType piece) {
    return piece == PtxType.F32 ? Operand.Float.of(0f) : new Operand.Integer(0);
  }

  /** Fails the trace unless an access to so many neighbours from here on is aligned, whatever the launch. */
  public void requireAligned(int count) {
    if (count > 1 && alignment % count != 0) {
      throw new TraceException("an access to " + count + " " + type.text() + " elements needs an address aligned to "
          + count + " elements; this layout only promises " + alignment);
    }
  }

  /** How so many elements move: so many registers of one type. */
  private record Access(PtxType piece, int pieces) {
    static Access of(ElementType type, int count) {
      if (type == ElementType.F32) return new Access(PtxType.F32, vector(type, count));
      int bits = type.bits() * count;
      return switch (bits) {
        case 8 -> new Access(PtxType.B8, 1);
        case 16 -> new Access(PtxType.B16, 1);
        case 32, 64, 128 -> new Access(PtxType.B32, bits / 32);
        default -> throw new TraceException("no access moves " + count + " " + type.text()
            + " elements: 1, 2, 4, 8 or 16 bytes");
      };
    }

    private static int vector(ElementType type, int count) {
      if (count != 1 && count != 2 && count != 4) {
        throw new TraceException("no access moves " + count + " " + type.text() + " elements: 1, 2 or 4");
      }
      return count;
    }

    String suffix() {
      return (pieces > 1 ? ".v" + pieces : "") + "." + piece.text();
    }

    Operand operand(List<Operand.Register> registers) {
      return pieces == 1 ? registers.getFirst() : new Operand.Vector(List.copyOf(registers));
    }
  }
}
