package tilewright.layout.decision;

import java.util.List;
import java.util.stream.Collectors;

/** Each mode's result is right by its own certificate. */
public record ByModeCertificate(List<Certificate> modes) implements Certificate {
  public ByModeCertificate {
    modes = List.copyOf(modes);
  }

  @Override
  public boolean holds() {
    return modes.stream().allMatch(Certificate::holds);
  }

  @Override
  public String explain() {
    return modes.stream().map(Certificate::explain).collect(Collectors.joining("; "));
  }
}
