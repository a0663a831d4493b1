package tilewright.simulator.compiler.module;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxType;
import tilewright.ptx.StateSpace;
import tilewright.ptx.Variable;
import tilewright.simulator.compiler.code.Unsupported;
import tilewright.simulator.core.AddressSpace;
import tilewright.simulator.core.Kernel;

/** The global and constant variables of a module, with their addresses and initial bytes. */
public final class ModuleData {
  private final Map<String, Scope.Place> places = new HashMap<>();
  private final List<Kernel.ModuleVariable> variables = new ArrayList<>();
  private final ModuleFunctions functions;

  /** @param firstWindow the address window of the first variable; the others follow */
  public ModuleData(PtxModule module, int firstWindow) {
    functions = new ModuleFunctions(module);
    var declared = module.items().stream().filter(Variable.class::isInstance).map(Variable.class::cast)
        .filter(v -> v.space() == StateSpace.GLOBAL || v.space() == StateSpace.CONST).toList();
    for (int i = 0; i < declared.size(); i++) {
      var v = declared.get(i);
      places.put(v.name(), new Scope.Place(v.space(), AddressSpace.base(firstWindow - 1 + i), v.bytes()));
    }
    for (var v : declared) {
      int bytes = Sizes.VARIABLE.end(v, 0);
      variables.add(new Kernel.ModuleVariable(v.name(), v.space() == StateSpace.CONST, bytes, initial(v)));
    }
  }

  /** The bytes that have first values. */
  private byte[] initial(Variable v) {
    int values = v.initializer().size();
    if (v.type() == PtxType.PRED) throw Unsupported.of(v, "predicates are registers only");
    if (values > v.elements()) {
      throw Unsupported.of(v, "has " + values + " first values for " + v.elements() + " elements");
    }
    int size = v.type().bytes();
    var bytes = new byte[values * size];
    for (int i = 0; i < v.initializer().size(); i++) {
      long value = value(v, v.initializer().get(i));
      for (int k = 0; k < Math.min(size, Long.BYTES); k++) bytes[i * size + k] = (byte) (value >>> 8 * k);
    }
    return bytes;
  }

  private long value(Variable v, Operand operand) {
    return switch (operand) {
      case Operand.Integer(long value) -> value;
      case Operand.Float(var type, long bits) -> {
        if (type == v.type() || v.type().bits() == type.bits()) yield bits;
        yield v.type().bits() == 32 ? Float.floatToRawIntBits((float) Double.longBitsToDouble(bits)) : bits;
      }
      case Operand.Symbol(var name) -> address(v, name);
      case Operand.Offset(var symbol, long offset) -> address(v, symbol.name()) + offset;
      case Operand.Masked(long mask, var address) -> value(v, address) >>> Long.numberOfTrailingZeros(mask);
      default -> throw Unsupported.of(v, "a first value that is no constant");
    };
  }

  private long address(Variable v, String symbol) {
    var name = symbol.startsWith("generic(") ? symbol.substring("generic(".length(), symbol.length() - 1) : symbol;
    return place(name).orElseThrow(() -> Unsupported.of(v, "names " + name + ", which nothing declares")).address();
  }

  /** A variable, or a device function, which lies in no space but has an address. */
  Optional<Scope.Place> place(String name) {
    return Optional.ofNullable(places.get(name))
        .or(() -> functions.address(name).map(a -> new Scope.Place(StateSpace.GLOBAL, a, 0)));
  }

  public ModuleFunctions functions() {
    return functions;
  }

  public List<Kernel.ModuleVariable> variables() {
    return variables;
  }
}
