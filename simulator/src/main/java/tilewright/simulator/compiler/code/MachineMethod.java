package tilewright.simulator.compiler.code;

import java.util.Arrays;
import java.util.List;
import tilewright.simulator.core.Warp;

/**
 * A static method of the machine that generated code calls. It is looked up before the call is emitted: operands of the
 * wrong kind would otherwise be found only when the JVM links the code.
 */
public final class MachineMethod {
  private MachineMethod() {}

  /** @throws Unsupported if no method has that name and those parameters */
  public static void require(Class<?> owner, String name, Class<?> result, List<Class<?>> parameters) {
    try {
      var method = owner.getDeclaredMethod(name, parameters.toArray(Class<?>[]::new));
      if (method.getReturnType() == result) return;
    } catch (NoSuchMethodException _) {
      // Reported below.
    }
    throw new Unsupported(difference(owner, name, parameters));
  }

  /** Checks that the machine has {@code method(warp, mask, arguments…)}. */
  public static void require(Class<?> owner, String name, Op.Result result, List<Op.Argument> arguments) {
    var parameters = new java.util.ArrayList<Class<?>>(List.of(Warp.class, int.class));
    for (var a : arguments) parameters.add(type(a));
    if (result instanceof Op.Result.Predicate(var to)) requirePredicate(to);
    require(owner, name, result instanceof Op.Result.Nothing ? void.class : int.class, parameters);
  }

  public static void requirePredicate(Reg reg) {
    if (reg.kind == Reg.Kind.PREDICATE) return;
    throw new Unsupported("a register of type " + reg.type.text() + " where a predicate is needed");
  }

  private static Class<?> type(Op.Argument argument) {
    return switch (argument) {
      case Op.Argument.IntValue _ -> int.class;
      case Op.Argument.LongValue _ -> long.class;
      case Op.Argument.Slot(var predicate) -> {
        requirePredicate(predicate);
        yield int.class;
      }
      case Op.Argument.Lanes(var reg) -> switch (reg.kind) {
        case INT -> int[].class;
        case FLOAT -> float[].class;
        case LONG -> long[].class;
        case DOUBLE -> double[].class;
        case PREDICATE -> throw new Unsupported("a predicate where a value is needed");
      };
    };
  }

  private static String difference(Class<?> owner, String name, List<Class<?>> parameters) {
    for (var method : owner.getDeclaredMethods()) {
      var needed = method.getParameterTypes();
      if (!method.getName().equals(name) || needed.length != parameters.size()) continue;
      int at = Arrays.mismatch(needed, parameters.toArray());
      if (at >= 0) return "a " + text(parameters.get(at)) + " where a " + text(needed[at]) + " is needed";
    }
    return "the form does not exist for these operands";
  }

  private static String text(Class<?> type) {
    if (type == int[].class || type == int.class) return "value of 32 bits";
    if (type == long[].class || type == long.class) return "value of 64 bits";
    return type == float[].class || type == float.class ? "value of type f32" : "value of type f64";
  }
}
