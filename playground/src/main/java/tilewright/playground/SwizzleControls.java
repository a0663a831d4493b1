package tilewright.playground;

import java.util.function.Consumer;
import org.teavm.jso.dom.events.MouseEvent;
import tilewright.layout.f2.Swizzle;

/**
 * Sliders for the three parameters of the expression's swizzle, and its bits: dragging the upper field moves the shift,
 * dragging the lower one moves both.
 */
final class SwizzleControls {
  private static final int BITS_SHOWN = 16;

  private final Consumer<Swizzle> changed;
  private Swizzle swizzle = Swizzle.IDENTITY;
  private int grabbed = -1;
  private boolean upper;

  SwizzleControls(Consumer<Swizzle> changed) {
    this.changed = changed;
    for (var slider : new String[] {"sw-b", "sw-m", "sw-s"}) {
      Dom.input(slider).addEventListener("input", _ -> change(value("sw-b"), value("sw-m"), value("sw-s")));
    }
    var strip = Dom.element("bits");
    strip.addEventListener("pointerdown", event -> grab((MouseEvent) event));
    strip.addEventListener("pointermove", event -> drag((MouseEvent) event));
    Dom.element("playground").addEventListener("pointerup", _ -> grabbed = -1);
  }

  private static int value(String slider) {
    return Integer.parseInt(Dom.input(slider).getValue());
  }

  void show(Swizzle shown) {
    swizzle = shown;
    set("sw-b", shown.bits());
    set("sw-m", shown.base());
    set("sw-s", shown.shift());
    Dom.element("bits").setInnerHTML(strip(shown));
  }

  private static void set(String slider, int value) {
    Dom.input(slider).setValue("" + value);
    Dom.text(slider + "-value", "" + value);
  }

  private static String strip(Swizzle swizzle) {
    var cells = new StringBuilder();
    for (var bit = BITS_SHOWN - 1; bit >= 0; bit--) {
      var read = (swizzle.readMask() >> bit & 1) == 1;
      var written = (swizzle.writtenMask() >> bit & 1) == 1;
      cells.append("<span class=\"").append(read ? "read" : written ? "written" : "").append("\">")
          .append(read ? "Y" : written ? "Z" : "·").append("<small>").append(bit).append("</small></span>");
    }
    return cells.toString();
  }

  private void change(int bits, int base, int shift) {
    changed.accept(SwizzleText.legal(bits, base, shift));
  }

  private static int bit(MouseEvent event) {
    var box = Dom.element("bits").getBoundingClientRect();
    var place = (event.getClientX() - box.getLeft()) * BITS_SHOWN / Math.max(1, box.getWidth());
    return Math.max(0, Math.min(BITS_SHOWN - 1, BITS_SHOWN - 1 - (int) place));
  }

  private void grab(MouseEvent event) {
    var bit = bit(event);
    upper = (Math.max(swizzle.readMask(), swizzle.writtenMask()) >> bit & 1) == 1;
    grabbed = ((swizzle.readMask() | swizzle.writtenMask()) >> bit & 1) == 1 ? bit : -1;
  }

  private void drag(MouseEvent event) {
    var moved = bit(event) - grabbed;
    if (grabbed < 0 || moved == 0) return;
    var shift = swizzle.shift() + (!upper ? 0 : swizzle.shift() < 0 ? -moved : moved);
    var base = swizzle.base() + (upper ? 0 : moved);
    if (base < 0 || base + swizzle.bits() + Math.abs(shift) > BITS_SHOWN || Math.abs(shift) < swizzle.bits()) return;
    grabbed += moved;
    change(swizzle.bits(), base, shift);
  }
}
