package tilewright.playground;

import java.util.function.Supplier;

/** Where controls send a question. */
interface Asking {
  /** @param entered whether the browser's history gets an entry */
  void ask(Supplier<Question> next, boolean entered);
}
