package tilewright.playground;

import org.teavm.jso.JSBody;
import org.teavm.jso.JSFunctor;
import org.teavm.jso.JSObject;
import org.teavm.jso.canvas.CanvasRenderingContext2D;
import org.teavm.jso.core.JSString;
import org.teavm.jso.dom.html.HTMLDocument;
import org.teavm.jso.dom.html.HTMLElement;
import org.teavm.jso.dom.html.HTMLInputElement;
import org.teavm.jso.dom.html.HTMLSelectElement;

/** Elements of the page, and the browser's functions that TeaVM has no interface for. */
final class Dom {
  private Dom() {}

  /** Something that the browser calls later. */
  @JSFunctor
  interface Callback extends JSObject {
    void run();
  }

  static HTMLElement element(String id) {
    return HTMLDocument.current().getElementById(id);
  }

  static HTMLInputElement input(String id) {
    return (HTMLInputElement) element(id);
  }

  static HTMLSelectElement select(String id) {
    return (HTMLSelectElement) element(id);
  }

  static void text(String id, String text) {
    element(id).setTextContent(text);
  }

  static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
  }

  static String code(String text) {
    return "<code>" + escaped(text) + "</code>";
  }

  /** Calls back whenever the page changes between light and dark. */
  @JSBody(params = "changed", script = """
      new MutationObserver(changed).observe(document.documentElement, {attributes: true});
      matchMedia('(prefers-color-scheme: dark)').addEventListener('change', changed);""")
  static native void onTheme(Callback changed);

  /** Puts a text on the clipboard; where the browser refuses, the reader gets it selected in a prompt. */
  @JSBody(params = {"text", "done"}, script = """
      (navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject())
          .then(done, () => prompt('Copy this', text));""")
  static native void copy(String text, Callback done);

  @JSBody(params = {"name", "text"}, script = """
      const link = document.createElement('a');
      link.href = URL.createObjectURL(new Blob([text], {type: 'image/svg+xml'}));
      link.download = name;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);""")
  static native void save(String name, String text);

  @JSBody(params = "element", script = "element.scrollIntoView({block: 'nearest', inline: 'nearest'});")
  static native void scrollTo(HTMLElement element);

  /** The colour of an element's text, or of its ground. */
  @JSBody(params = {"element", "property"}, script = "return getComputedStyle(element)[property];")
  static native JSString style(HTMLElement element, String property);

  @JSBody(params = {"context", "colour"}, script = "context.fillStyle = colour;")
  static native void fillStyle(CanvasRenderingContext2D context, JSString colour);

  @JSBody(params = {"context", "colour"}, script = "context.strokeStyle = colour;")
  static native void strokeStyle(CanvasRenderingContext2D context, JSString colour);
}
