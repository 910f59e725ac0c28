from tests.analyse.audit.planting import planted, rules_of


def test_banner_speed() -> None:
    """Its speed counts bonus tokens too."""
    text = planted("banner with the bonus token", "86.2", "33.1")

    assert rules_of(text) == {"banner-speed"}


def test_banner_accept_length() -> None:
    """Its accept length is its tokens over its cycles, the bonus token counted or not."""
    text = planted("banner with the bonus token", "1.62", "1.72")

    assert rules_of(text) == {"banner-accept-length"}


def test_banner_phases() -> None:
    """Its phases add up to its total."""
    text = planted("banner with the bonus token", "TOTAL: 18.82", "TOTAL: 17.82")

    assert "banner-phases" in rules_of(text)
