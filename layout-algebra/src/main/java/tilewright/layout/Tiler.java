package tilewright.layout;

import java.util.List;
import java.util.stream.Collectors;
import tilewright.layout.syntax.NodeReader;

/** The tile of a layout: one layout for all of it, or one tiler per mode; {@code _} leaves a mode as it is. */
public sealed interface Tiler {

  /** One layout over the whole domain. */
  record ByLayout(Layout layout) implements Tiler {
    @Override
    public String toString() {
      return layout.toString();
    }
  }

  /** A tiler for each of the first modes. */
  record ByMode(List<Tiler> tilers) implements Tiler {
    public ByMode {
      tilers = List.copyOf(tilers);
    }

    @Override
    public String toString() {
      return tilers.stream().map(Tiler::toString).collect(Collectors.joining(";", "[", "]"));
    }
  }

  /** The mode as it is. */
  record Keep() implements Tiler {
    @Override
    public String toString() {
      return "_";
    }
  }

  /** Reads a tiler such as {@code [4:1;(2,2):(2,1);_]}. */
  static Tiler parse(String text) {
    return NodeReader.read(text, Notation::tiler);
  }

  static Tiler of(Layout layout) {
    return new ByLayout(layout);
  }

  static Tiler byMode(Tiler... tilers) {
    return new ByMode(List.of(tilers));
  }
}
