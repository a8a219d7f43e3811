"""What the sandbox knows: a few invented pages about an invented harbour town."""

from typing import NamedTuple


class Page(NamedTuple):
    url: str
    title: str
    content: str


PAGES = (
    Page(
        "https://ferries.example/timetable",
        "Ferry timetable of Port Lumen",
        "Ferries leave Port Lumen for the islands every hour from 6:00 to 22:00, on Sundays every two hours.",
    ),
    Page(
        "https://ferries.example/tickets",
        "Ferry tickets and fares",
        "A single ticket to the islands costs 7.40; bicycles travel free. Tickets are sold on the quay and on board.",
    ),
    Page(
        "https://harbour.example/office",
        "Harbour office: berths and opening hours",
        "Guest berths are given out at the harbour office, open daily from 8 to 18. Call on VHF channel 12.",
    ),
    Page(
        "https://harbour.example/tides",
        "Tide tables for Port Lumen",
        "High and low water for each day of the year, with the height above chart datum in metres.",
    ),
    Page(
        "https://lighthouse.example/visit",
        "Visiting the lighthouse of Port Lumen",
        "The lighthouse of 1871 can be climbed from May to October: 214 steps, and a view over all the islands.",
    ),
    Page(
        "https://museum.example/boats",
        "Museum of small boats",
        "Forty wooden boats, a rope walk and a workshop in the old customs house beside the ferry quay.",
    ),
    Page(
        "https://weather.example/port-lumen",
        "Weather and wind in Port Lumen",
        "Forecast for the next five days: wind from the west, 4 to 5 Beaufort, waves of up to one metre.",
    ),
    Page(
        "https://agents.example/searching",
        "How agents search the web",
        "An agent sends a query and gets titles, addresses and snippets: hints to read further, not evidence.",
    ),
    Page(
        "https://agents.example/extensions",
        "Extensions of an agent platform",
        "An Extension gives an agent one named capability, such as searching with one search engine.",
    ),
    Page(
        "https://searching.example/metasearch",
        "Metasearch in one paragraph",
        "A metasearch engine such as SearXNG asks several search engines at once and merges what they answer.",
    ),
)
