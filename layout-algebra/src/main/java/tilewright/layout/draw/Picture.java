package tilewright.layout.draw;

import java.util.List;
import java.util.stream.Collectors;

/**
 * One or more panels side by side: what every kind of output shows. Equal pictures give equal outputs.
 *
 * @param legend what drawings say below the panels
 * @param joints what drawings show after each panel but the last; signs at the end may be missing
 */
public record Picture(String title, List<Panel> panels, Legend legend, List<Joint> joints) {
  public Picture {
    panels = List.copyOf(panels);
    joints = List.copyOf(joints);
  }

  public static Picture of(String title, Panel... panels) {
    return new Picture(title, List.of(panels), Legend.NONE, List.of());
  }

  /** This picture with a legend. */
  Picture explained(Legend by) {
    return new Picture(title, panels, by, joints);
  }

  /** This picture with signs between its panels. */
  Picture joined(Joint... by) {
    return new Picture(title, panels, legend, List.of(by));
  }

  /** The sign after a panel. */
  Joint joint(int panel) {
    return panel < joints.size() ? joints.get(panel) : Joint.NONE;
  }

  /** Characters of one width: the title, then one panel after the other. Ends with a line break. */
  public String toText() {
    return title + "\n" + panels.stream().map(TextTable::of).collect(Collectors.joining("\n"));
  }

  /** The shapes that SVG, TikZ and HTML show. */
  public Drawing toDrawing() {
    return new Arrangement(this).draw();
  }

  /** An SVG document that follows the reader's light or dark setting and loads nothing. */
  public String toSvg() {
    return toDrawing().toSvg();
  }

  /** A LaTeX document of the class {@code standalone} with one {@code tikzpicture}. */
  public String toTikz() {
    return toDrawing().toTikz();
  }

  /** An HTML page that says what a reader points at, and loads nothing. */
  public String toHtml() {
    return toDrawing().toHtml();
  }
}
