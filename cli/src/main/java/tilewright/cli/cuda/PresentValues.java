package tilewright.cli.cuda;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import tilewright.ptx.Operand;
import tilewright.ptx.PtxModule;
import tilewright.ptx.PtxType;
import tilewright.ptx.Variable;

/** Modules whose variables begin with other values than their text says. */
final class PresentValues {
  private PresentValues() {}

  /** @param contents the variables' bytes by name; others keep their values */
  static PtxModule in(PtxModule module, Map<String, byte[]> contents) {
    return new PtxModule(module.version(), module.targets(), module.addressSize(), module.items().stream()
        .map(item -> item instanceof Variable v && contents.containsKey(v.name())
            ? presently(v, contents.get(v.name())) : item).toList());
  }

  private static Variable presently(Variable v, byte[] contents) {
    var values = new ArrayList<Operand>();
    for (byte b : contents) values.add(new Operand.Integer(Byte.toUnsignedLong(b)));
    int alignment = Math.max(v.alignment(), v.type().bytes() * v.vector());
    return new Variable(v.linkage(), v.space(), alignment, 1, PtxType.B8, v.name(), List.of((long) contents.length),
        values);
  }
}
