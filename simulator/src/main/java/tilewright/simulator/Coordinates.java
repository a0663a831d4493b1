package tilewright.simulator;

import java.util.Optional;

/** Says which element of a tensor lies at an offset of its buffer, for reports. */
public interface Coordinates {
  /** The element's coordinate, such as {@code (3,17)}; empty for an offset that holds none. */
  Optional<String> of(long byteOffset);
}
