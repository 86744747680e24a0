"""How models of speech read sound, and how much people say.

Whisper and the models that were distilled from it read windows of 30 s, one after the other: 3,000 frames of 10 ms, which the two
convolutions before the encoder halve (Radford et al. 2022, "Robust Speech Recognition via Large-Scale Weak Supervision",
sections 2.2 and 3.8).
"""

import math

WINDOW_S = 30
FRAMES_PER_WINDOW = 1500
#: English is spoken at about 150 words a minute (National Center for Voice and Speech), and 75 words are about 100 tokens
#: (OpenAI, "What are tokens and how to count them?").
TOKENS_PER_SECOND = 150 / 60 * 100 / 75


def windows(audio_seconds: float) -> int:
    """Return how many windows a sound of this length has."""
    return math.ceil(audio_seconds / WINDOW_S)


def spoken_tokens(audio_seconds: float) -> int:
    """Return how many tokens are written down where people speak all the time."""
    return math.ceil(audio_seconds * TOKENS_PER_SECOND)
